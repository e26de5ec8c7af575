"""The doctor's checks of the machine and the installed packages."""

import platform
import sys
from importlib import metadata
from pathlib import Path

import pytest

from sourcebook.service.doctor import machine
from sourcebook.service.doctor.results import CheckResult

FLAGS = "flags\t\t: fpu sse4_2 {}\n"


def cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpuinfo: str) -> CheckResult:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    (tmp_path / "cpuinfo").write_text(cpuinfo)
    (result,) = machine.check_cpu(tmp_path / "cpuinfo")
    return result


def test_the_features_that_matter_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = cpu(tmp_path, monkeypatch, FLAGS.format("avx2 avx512f amx_bf16"))

    assert result.status == "ok"
    assert result.found.endswith("cores (x86_64), AVX2, AVX-512, AMX")


@pytest.mark.parametrize(
    ("cpuinfo", "status", "found"),
    [
        (FLAGS.format(""), "warning", "without AVX2"),
        ("flags\t\t: fpu sse2\n", "problem", "without SSE4.2"),
    ],
)
def test_a_cpu_that_is_too_old_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpuinfo: str, status: str, found: str
) -> None:
    result = cpu(tmp_path, monkeypatch, cpuinfo)

    assert (result.status, found in result.found) == (status, True)
    assert result.advice


def test_a_system_that_does_not_tell_is_no_problem(tmp_path: Path) -> None:
    (about_cpu,) = machine.check_cpu(tmp_path / "nothing")
    (about_memory,) = machine.check_memory(tmp_path / "nothing", tmp_path)

    assert (about_cpu.status, about_memory.status) == ("ok", "ok")


@pytest.mark.parametrize(
    ("limit_mib", "status"), [("max", "ok"), ("4096", "ok"), ("1024", "warning")]
)
def test_a_container_s_limit_counts_as_the_memory(
    tmp_path: Path, limit_mib: str, status: str
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\n")
    limit = limit_mib if limit_mib == "max" else str(int(limit_mib) * machine.MIB)
    (tmp_path / "memory.max").write_text(limit)
    (tmp_path / "memory.current").write_text(str(512 * machine.MIB))

    (result,) = machine.check_memory(meminfo, tmp_path)

    assert result.status == status


def test_an_old_python_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 1))

    (result,) = machine.check_python()

    assert (result.status, "3.11 or newer" in (result.advice or "")) == ("problem", True)


def test_a_missing_package_is_a_problem_and_a_missing_extra_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    requires = ["rich>=14", "no-such-package>=1", "redis>=7; extra == 'redis'", 'x; extra=="more"']
    monkeypatch.setattr(metadata, "requires", lambda _: requires)

    packages, extras = machine.check_packages()

    assert (packages.status, "without no-such-package" in packages.found) == ("problem", True)
    assert "pip install --force-reinstall" in (packages.advice or "")
    assert (extras.status, extras.found) == ("ok", "installed: redis; not installed: more")
