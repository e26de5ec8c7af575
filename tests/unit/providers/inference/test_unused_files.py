"""Only files that a package's record lists are removed, and all come back if one was needed."""

import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.unused_files import (
    UNUSED,
    UnusedFiles,
    check_own_environment,
    remove_unused_files,
)

FILES = {
    "shapes/__init__.py": "",
    "shapes/libs/libgpu_plugin.so": "gpu" * 1_000,
    "shapes/libs/libcpu_plugin.so": "cpu",
    "shapes/area/tests/test_area.py": "tests",
    "shapes/area/tests/__pycache__/test_area.pyc": "tests",
    "../bin/shapes": "script",
    "shapes-1.5.dist-info/METADATA": "Metadata-Version: 2.1\nName: shapes\nVersion: 1.5\n",
    "shapes-1.5.dist-info/RECORD": "",
}
PARTS = UnusedFiles("shapes", ("shapes/libs/*gpu_plugin*", "shapes/*tests/*"))
ALL = UnusedFiles("shapes", ("*",))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment with the package `shapes`, and a file that it does not know."""
    site = tmp_path / "lib"
    for name, content in {**FILES, "shapes/libs/mine_gpu_plugin.so": "mine"}.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    record = site / "shapes-1.5.dist-info" / "RECORD"
    record.write_text("".join(f"{name},,\n" for name in [*FILES, "shapes/gone_tests/x"]))
    monkeypatch.syspath_prepend(str(site))
    return site


def files(site: Path) -> set[str]:
    return {str(path.relative_to(site.parent)) for path in site.parent.rglob("*") if path.is_file()}


def test_what_is_not_used_is_removed_and_nothing_else(site: Path) -> None:
    before = files(site)

    (removed,) = remove_unused_files(lambda: True, [PARTS])

    assert (removed.package, removed.version, removed.size) == ("shapes", "1.5", 3_010)
    assert before - files(site) == {
        "lib/shapes/libs/libgpu_plugin.so",
        "lib/shapes/area/tests/test_area.py",
        "lib/shapes/area/tests/__pycache__/test_area.pyc",
    }
    assert not (site / "shapes" / "area").exists()
    assert remove_unused_files(lambda: True, [PARTS]) == []


def test_a_whole_package_goes_with_its_commands(site: Path) -> None:
    remove_unused_files(lambda: True, [ALL])

    assert files(site) == {"lib/shapes/libs/mine_gpu_plugin.so"}


def test_what_turns_out_to_be_needed_comes_back(site: Path) -> None:
    before = files(site)

    def is_complete() -> bool:
        return (site / "shapes" / "libs" / "libgpu_plugin.so").exists()

    with pytest.raises(ConfigurationError, match="nothing was removed"):
        remove_unused_files(is_complete, [PARTS])

    assert files(site) == before


def test_an_interruption_removes_nothing(site: Path) -> None:
    before = files(site)

    def interrupted() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        remove_unused_files(interrupted, [PARTS])

    assert files(site) == before


def test_packages_that_are_not_there_are_no_problem() -> None:
    assert remove_unused_files(lambda: True, [UnusedFiles("no-such-package", ("*",))]) == []


def test_an_environment_that_others_may_use_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)

    with pytest.raises(ConfigurationError, match="not in a virtual environment"):
        check_own_environment()


def test_what_runs_models_on_the_cpu_is_not_on_the_list() -> None:
    needed = (
        "openvino/libs/libopenvino.so.2641",
        "openvino/libs/libopenvino_intel_cpu_plugin.so",
        "openvino/libs/libopenvino_ir_frontend.so.2641",
        "openvino/libs/libtbb.so.12",
        "openvino/frontend/__init__.py",
        "openvino/opset15/__init__.py",
    )
    patterns = next(one.patterns for one in UNUSED if one.package == "openvino")

    assert [name for name in needed if any(fnmatch(name, one) for one in patterns)] == []
