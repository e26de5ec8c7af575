"""Describes the machine and the software versions of a run."""

import json
import os
import platform
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

from bench.processes import PEER_BIN

OURS = ("sourcebook", "openvino", "tokenizers", "fastapi", "uvicorn", "numpy")
PEERS = ("torch", "sentence-transformers", "transformers", "chromadb", "fastapi", "numpy")
FLAGS = ("avx2", "avx512f", "avx512_bf16", "amx_tile", "amx_bf16", "amx_int8")
_ASK = (
    "import json, sys; from importlib.metadata import version;"
    "print(json.dumps([version(name) for name in sys.argv[1:]]))"
)


def describe_machine() -> dict[str, str]:
    """Return CPU, memory, versions and load average."""
    cpu = Path("/proc/cpuinfo").read_text("utf-8")
    model = re.search(r"model name\s*:\s*(.+)", cpu)
    found = set(re.findall(r"\w+", cpu))
    return {
        "CPU": f"{model[1] if model else platform.processor()}, {os.cpu_count()} cores",
        "CPU flags": ", ".join(f"{flag} {'yes' if flag in found else 'no'}" for flag in FLAGS),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB",
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "load average at the start": f"{os.getloadavg()[0]:.1f}",
        "Sourcebook's side": ", ".join(f"{name} {version(name)}" for name in OURS),
        "the peers' side": _peer_versions(),
    }


def has_amx() -> bool:
    """Return whether the CPU multiplies bf16 matrices in hardware."""
    return "amx_bf16" in Path("/proc/cpuinfo").read_text("utf-8")


def _peer_versions() -> str:
    if not (PEER_BIN / "python").exists():
        return "not installed"
    done = subprocess.run(  # noqa: S603 - a line of our own
        [str(PEER_BIN / "python"), "-c", _ASK, *PEERS],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    versions: list[str] = json.loads(done.stdout)
    return ", ".join(f"{name} {found}" for name, found in zip(PEERS, versions, strict=True))
