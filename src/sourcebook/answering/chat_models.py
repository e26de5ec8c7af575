"""Which language models a chat of contract 003 may name, besides the configured one."""

from dataclasses import dataclass

from sourcebook.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class ChatModels:
    """An allow-list of names at the configured server; or any, if that costs nobody money.

    With neither, names are ignored: the contract has its clients send one, whatever is there.
    """

    allowed: tuple[str, ...] = ()
    any_model: bool = False

    def choose(self, asked: str, configured: str) -> str | None:
        """The model to ask for; None for the configured one. InvalidInput names the allowed."""
        if not asked or asked == configured:
            return None
        if self.any_model or asked in self.allowed:
            return asked
        if not self.allowed:
            return None
        allowed = list(dict.fromkeys([configured, *self.allowed]))
        raise InvalidInput(f"Model {asked!r} is not allowed. Allowed models: {allowed}")
