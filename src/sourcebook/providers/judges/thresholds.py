"""The thresholds of judges: one that a model brings, and those that were measured here.

A model's folder may have a file `judge.json` with `{"threshold": 0.97}`; the one in the data folder
has such an object for the name of each judge. With null no claim ever passes.
"""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from sourcebook.core.claims import DEFAULT_JUDGE_THRESHOLD, NOTHING_PASSES
from sourcebook.core.errors import ConfigurationError

FILE = "judge.json"
T = TypeVar("T")


class _Kept(BaseModel):
    threshold: float | None = Field(gt=0)

    def value(self) -> float:
        return NOTHING_PASSES if self.threshold is None else self.threshold


_OWN, _MEASURED = TypeAdapter(_Kept), TypeAdapter(dict[str, _Kept])


def own_threshold(folder: Path) -> float:
    """Return the threshold that a model brings, or the default."""
    return _read(folder / FILE, _OWN, _Kept(threshold=DEFAULT_JUDGE_THRESHOLD)).value()


def measured_threshold(data_dir: Path, name: str) -> float | None:
    """Return the threshold that was measured for a judge; None if it was not."""
    kept = _read(data_dir / FILE, _MEASURED, {}).get(name)
    return None if kept is None else kept.value()


def keep_threshold(data_dir: Path, name: str, threshold: float) -> Path:
    """Keep what was measured for a judge; return the file."""
    file, written = data_dir / FILE, data_dir / f"{FILE}.new"
    kept = _Kept(threshold=None if threshold == NOTHING_PASSES else threshold)
    measured = {**_read(file, _MEASURED, {}), name: kept}
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        written.write_bytes(_MEASURED.dump_json(measured, indent=2))
        written.replace(file)
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be written: {error.strerror}") from None
    return file


def _read(file: Path, kind: TypeAdapter[T], without: T) -> T:
    try:
        return kind.validate_json(file.read_bytes())
    except FileNotFoundError:
        return without
    except (OSError, ValidationError):
        raise ConfigurationError(
            f"{file} holds no threshold of a judge that can be used: remove it, and measure the"
            " judge with `sourcebook eval judge`"
        ) from None
