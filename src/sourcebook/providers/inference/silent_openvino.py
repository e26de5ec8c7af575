"""OpenVINO without its telemetry: importing it would otherwise send an event to its makers."""

import sys

# Python takes None for "cannot be imported", and OpenVINO then uses its own silent stand-in.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]

import openvino as ov  # noqa: E402 - only after the telemetry is blocked
import openvino.opset15 as ops  # noqa: E402

__all__ = ["ops", "ov"]
