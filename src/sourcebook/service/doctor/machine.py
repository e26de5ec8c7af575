"""Checks Python, the installed packages, the CPU and the memory."""

import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from sourcebook.service.doctor.results import CheckResult, ok, problem, warning

MIN_PYTHON = (3, 11)
MIB = 1024 * 1024
PACKAGE = "sourcebook"
# Measured: 464 MiB at the peak of `quickstart` with the sample book; a larger book needs more.
NEEDED_BYTES = 768 * MIB
# In the order of what they gain; the names as people know them.
CPU_FEATURES: Mapping[str, str] = {
    "avx2": "AVX2",
    "avx512f": "AVX-512",
    "avx512_vnni": "VNNI",
    "avx512_bf16": "BF16",
    "amx_bf16": "AMX",
}
# OpenVINO runs nowhere without it.
LEAST_FEATURE = "sse4_2"
X86 = frozenset({"x86_64", "amd64", "i686", "i386"})

_CPU_FLAGS = re.compile(r"^(?:flags|Features)\s*:\s*(.*)$", re.MULTILINE)
_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_KIB_LINE = re.compile(r"^(\w+):\s+(\d+) kB$", re.MULTILINE)


def check_python() -> Iterator[CheckResult]:
    """Look at the interpreter."""
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info < MIN_PYTHON:
        yield problem("Python", found, "Sourcebook needs Python 3.11 or newer: install one")
    elif sys.maxsize < 2**32:
        yield problem("Python", f"{found}, 32 bits", "Install a Python of 64 bits")
    else:
        yield ok("Python", found)


def check_packages() -> Iterator[CheckResult]:
    """Look for the packages that Sourcebook needs, and for its extras."""
    needed, extras = read_requirements(metadata.requires(PACKAGE) or [])
    missing = [name for name in needed if not _is_installed(name)]
    version = metadata.version(PACKAGE)
    if missing:
        yield problem(
            "Packages",
            f"Sourcebook {version}, without {', '.join(missing)}",
            f"pip install --force-reinstall '{PACKAGE}=={version}'",
        )
    else:
        yield ok("Packages", f"Sourcebook {version} and the {len(needed)} packages that it needs")
    lacking = sorted(extra for extra, names in extras.items() if not all(map(_is_installed, names)))
    there = sorted(extras.keys() - set(lacking))
    words = [f"installed: {', '.join(there)}"] if there else []
    words += [f"not installed: {', '.join(lacking)}"] if lacking else []
    yield ok("Extras", "; ".join(words))


def read_requirements(lines: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Split what a package requires into what it always needs, and what each extra needs."""
    needed: list[str] = []
    extras: dict[str, list[str]] = {}
    for line in lines:
        name = _REQUIREMENT.match(line)
        if name is None:
            continue
        extra = _EXTRA.search(line)
        if extra is None:
            needed.append(name[1])
        else:
            extras.setdefault(extra[1], []).append(name[1])
    return needed, extras


def check_cpu(cpuinfo: Path = Path("/proc/cpuinfo")) -> Iterator[CheckResult]:
    """Look at the cores, and at what lets OpenVINO compute fast."""
    machine = platform.machine().lower()
    cores = f"{_usable_cores()} cores ({machine})"
    flags = _cpu_flags(cpuinfo)
    if machine not in X86 or flags is None:
        yield ok("CPU", cores)
        return
    features = [name for flag, name in CPU_FEATURES.items() if flag in flags]
    if LEAST_FEATURE not in flags:
        yield problem(
            "CPU",
            f"{cores}, without SSE4.2",
            "OpenVINO cannot run here: use another machine, or a remote embedding model",
        )
    elif "avx2" not in flags:
        yield warning(
            "CPU",
            f"{cores}, without AVX2",
            "Models on this machine will be slow: allow the virtual machine to use AVX2, or"
            " use another one",
        )
    else:
        yield ok("CPU", f"{cores}, {', '.join(features)}")


def check_memory(
    meminfo: Path = Path("/proc/meminfo"), cgroup: Path = Path("/sys/fs/cgroup")
) -> Iterator[CheckResult]:
    """Look at the memory that is free, also within a container's limit."""
    available = _available_bytes(meminfo, cgroup)
    if available is None:
        yield ok("Memory", "this system does not say how much is free")
        return
    found = f"{available / MIB:,.0f} MiB available"
    if available < NEEDED_BYTES:
        yield warning(
            "Memory",
            found,
            f"A server with the bundled model needs about {NEEDED_BYTES // MIB} MiB: close other"
            " programs, or give the container more",
        )
    else:
        yield ok("Memory", found)


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu_flags(cpuinfo: Path) -> frozenset[str] | None:
    try:
        found = _CPU_FLAGS.search(cpuinfo.read_text("utf-8"))
    except OSError:
        return None
    return None if found is None else frozenset(found[1].split())


def _available_bytes(meminfo: Path, cgroup: Path) -> int | None:
    try:
        kib = {name: int(size) for name, size in _KIB_LINE.findall(meminfo.read_text("utf-8"))}
        available = kib["MemAvailable"] * 1024
    except (OSError, KeyError):
        return None
    try:
        limit = int((cgroup / "memory.max").read_text("utf-8"))
        used = int((cgroup / "memory.current").read_text("utf-8"))
    except (OSError, ValueError):  # no container, or one without a limit
        return available
    return max(0, min(available, limit - used))
