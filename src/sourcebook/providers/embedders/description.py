"""What an embedder says about the model it runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """The properties that every embedder has, as the port names them."""

    id: str
    name: str
    dimensions: int
    max_tokens: int
    revision: str
