"""Finds the Python code that a model brings, which runs only if the operator trusts it."""

from collections.abc import Iterator
from pathlib import Path

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.json_file import read_json

LIBRARY = "sentence_transformers."
TRUST_IT = "If you trust its author, set `trust_remote_code: true` for it in the embeddings config"


def own_modules(folder: Path) -> list[str]:
    """Return the classes in modules.json that are the model's own, not the library's."""
    modules = _read(folder / "modules.json")
    listed = modules if isinstance(modules, list) else []
    types = [module.get("type") for module in listed if isinstance(module, dict)]
    return [name for name in types if isinstance(name, str) and not name.startswith(LIBRARY)]


def check_code(name: str, folder: Path, advice: str) -> None:
    """Refuse a model with code of its own: some versions of the library run it unasked."""
    if own_modules(folder):
        raise code_refused(name, advice)


def code_refused(name: str, advice: str) -> ConfigurationError:
    """Return the error of a model that needs its own code and may not run it."""
    return ConfigurationError(
        f"Model {name!r} needs Python code from its repository, which is not run. {advice}"
    )


def code_repositories(folder: Path) -> list[str]:
    """Return the other repositories whose code the model uses, written `owner/name--file.Class`."""
    references = [*own_modules(folder)]
    for name in ("config.json", "tokenizer_config.json"):
        for path in sorted(folder.rglob(name)):
            references += _mapped(_read(path))
    found = (reference.partition("--") for reference in references)
    return sorted({repository for repository, dashes, _ in found if dashes})


def _mapped(config: object) -> Iterator[str]:
    """Yield the classes of `auto_map`; a tokenizer has a pair of them, one of which may be null."""
    mapped = config.get("auto_map") if isinstance(config, dict) else None
    for value in mapped.values() if isinstance(mapped, dict) else ():
        for reference in value if isinstance(value, list) else [value]:
            if isinstance(reference, str):
                yield reference


def _read(path: Path) -> object:
    return read_json(path) if path.is_file() else None
