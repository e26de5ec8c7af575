"""Declares a converter: the files that it reads, and the function that converts one.

A declaration is what an entry point of the group `sourcebook.converters` names. Its module imports
no SDK: that is for the module of the function, which is imported in the process that converts.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import httpx2
from pydantic import BaseModel, ConfigDict

from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.ports import Certainty, Converter
from sourcebook.providers.converters.child import load_function
from sourcebook.providers.declaration import Opening, Probed, Provider

Recognize: TypeAlias = Callable[[bytes], Certainty]


class NoSettings(BaseModel):
    """A converter has nothing to set."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ConverterProvider(Provider[NoSettings, Converter]):
    """Declares a converter; `function` is named as `"module:function"`, and takes and returns what
    `Converter.convert` does."""

    def __init__(
        self, version: int, extensions: tuple[str, ...], recognize: Recognize, function: str
    ) -> None:
        super().__init__(NoSettings, self._opened, self._probe)
        self.version = version
        self.extensions = extensions
        self.recognize = recognize
        self.function = function

    def convert(self, content: bytes) -> ConvertedDocument:
        """Convert a file in this process, without any limits."""
        return load_function(self.function)(content)

    @asynccontextmanager
    async def _opened(self, _: NoSettings, __: Opening) -> AsyncIterator[Converter]:
        yield self

    async def _probe(self, _: NoSettings, __: httpx2.AsyncClient) -> Probed:
        load_function(self.function)
        return Probed({"version": self.version, "extensions": list(self.extensions)})
