"""Chooses the converter of a file among the installed ones, by its content, and runs it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from sourcebook.core.book_source import MARKDOWN
from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.errors import BookUnreadable, SourcebookError
from sourcebook.core.ports import Certainty, FileFormat
from sourcebook.core.providers import ProviderCard
from sourcebook.providers.converters.declaration import ConverterProvider
from sourcebook.providers.converters.process import ConversionProcess
from sourcebook.providers.converters.recognition import PageRecognition, name_unread
from sourcebook.providers.registry.registry import Registry

# Runs the function of a converter on the bytes of a file.
Run: TypeAlias = Callable[[str, bytes], Awaitable[ConvertedDocument]]
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True, slots=True)
class _Installed:
    """A converter, and its card, which knows whether its software is there."""

    card: ProviderCard
    converter: ConverterProvider

    @property
    def format(self) -> FileFormat:
        return FileFormat(self.card.id, self.converter.version)


class InstalledConverters:
    """A `FileConversion` over the converters that packages register."""

    def __init__(
        self, registry: Registry, run: Run, recognition: PageRecognition | None = None
    ) -> None:
        self._registry = registry
        self._run = run
        self._recognition = recognition

    @property
    def extensions(self) -> tuple[str, ...]:
        """How the names of all files end that can be converted."""
        found = (ending for one in self._installed for ending in one.converter.extensions)
        return tuple(dict.fromkeys(found))

    def recognize(self, path: str, content: bytes) -> FileFormat | None:
        """Return the format of a file; None for markdown; BookUnreadable."""
        certainties = [(one.converter.recognize(content), one) for one in self._installed]
        best = max((certainty for certainty, _ in certainties), default=Certainty.NONE)
        name = path.lower()
        if name.endswith(MARKDOWN) and best < Certainty.MAGIC_BYTES:
            return None
        candidates = [one for certainty, one in certainties if certainty == best != Certainty.NONE]
        named = [one for one in candidates if name.endswith(one.converter.extensions)]
        if named:
            return named[0].format
        if best > Certainty.POSSIBLE:
            return candidates[0].format
        raise BookUnreadable(_unknown(path, content))

    async def convert(self, file_format: FileFormat, content: bytes) -> ConvertedDocument:
        """Convert a file; BookUnreadable."""
        chosen = next(one for one in self._installed if one.format == file_format)
        if chosen.card.lack is not None:
            raise BookUnreadable(
                f"{chosen.card.display_name} files need software that is not installed:"
                f" {chosen.card.install}"
            )
        document = await self._run(chosen.converter.function, content)
        if document.unread_pages and self._recognition is not None:
            document = await self._recognition.complete(document, content)
        return name_unread(document)

    @cached_property
    def _installed(self) -> Sequence[_Installed]:
        cards = (card for card in self._registry.cards() if card.kind == "converters")
        return [found for card in cards if (found := self._loaded(card)) is not None]

    def _loaded(self, card: ProviderCard) -> _Installed | None:
        if card.problem is not None:
            return None
        try:
            provider = self._registry.load(card.id, card.kind)
        except SourcebookError:
            return None  # logged by the registry, and shown by `sourcebook providers list`
        return _Installed(card, provider) if isinstance(provider, ConverterProvider) else None


def readable_extensions() -> tuple[str, ...]:
    """Return how the names of all files end that can be read with what is installed."""
    converters = InstalledConverters(Registry(), ConversionProcess().convert)
    return (*MARKDOWN, *converters.extensions)


def _unknown(path: str, content: bytes) -> str:
    if not content.strip():
        return "The file is empty"
    if content.startswith(_OLD_OFFICE):
        return (
            "It is an Office file with a password, or in the format before 2007: save it without"
            " a password as .docx, .pptx or .xlsx"
        )
    ending = path.rpartition(".")[2][:20]
    return f"Its content is no {ending.upper()} file, or it is damaged: open it and save it again"
