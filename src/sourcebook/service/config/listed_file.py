"""Reads YAML files that list entries under one key, without quoting their secrets in errors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from sourcebook.core.errors import ConfigurationError


class ListedEntry(BaseModel):
    """One entry; unknown keys are settings of the provider that it names."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, hide_input_in_errors=True)

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        """Without the provider's keys: one of them may be a secret."""
        return ((name, getattr(self, name)) for name in type(self).model_fields)


E = TypeVar("E", bound=ListedEntry)


@dataclass(frozen=True, slots=True)
class ListedFile(Generic[E]):
    """A kind of file: its name, its entries, and an example for error messages."""

    called: str
    key: str
    entry: type[E]
    entry_called: str
    least: str
    example: str

    def read(self, path: Path) -> tuple[E, ...]:
        """Read the entries; ConfigurationError shows an example."""
        try:
            content = yaml.safe_load(path.read_text("utf-8"))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise self.unusable(f"Cannot read the {self.called} {str(path)!r}: {reason}") from None
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
            # Not its words: they quote the lines around, and there may be a key in them.
            mark = getattr(error, "problem_mark", None)
            where = f" (line {mark.line + 1})" if mark else ""
            problem = f"The {self.called} {str(path)!r} is not valid YAML{where}"
            raise self.unusable(problem) from None
        listed = content.get(self.key) if isinstance(content, dict) else None
        if not isinstance(listed, list):
            raise self.unusable(f"The {self.called} {str(path)!r} has no {self.key!r} array")
        return tuple(self._entry(item, index) for index, item in enumerate(listed))

    def check_unique(self, names: Sequence[str], called: str) -> None:
        """Refuse names that the file repeats."""
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise self.unusable(f"The {called} must be unique; repeated: {repeated}")

    def unusable(self, problem: str) -> ConfigurationError:
        """Return an error that shows how the file should look."""
        return ConfigurationError(
            f"{problem}.\nAn {self.called} looks like this:\n\n{self.example}\n"
        )

    def _entry(self, item: object, index: int) -> E:
        try:
            return self.entry.model_validate(item)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in found["loc"])
        if found["type"] == "missing":
            problem = f"required field {field!r} is missing"
        else:
            problem = f"{field!r}: {found['msg']}" if field else self.least
        raise self.unusable(f"{self.entry_called} at index {index} of the {self.called}: {problem}")
