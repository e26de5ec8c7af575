"""What a ledger becomes that takes the place of a lost one."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from sourcebook.core.collections import Collection
from sourcebook.core.writes import AbandonedWrite


@dataclass(frozen=True, slots=True)
class Takeover:
    """The lost installation, and its collections, which are being built in the new ledger.

    `left_over` points wait for the sweeper. `kept_indexes` belong to no collection, and stay: what
    they hold may be nowhere else.
    """

    installation: str
    collections: Sequence[Collection]
    left_over: Sequence[AbandonedWrite] = ()
    kept_indexes: Set[str] = frozenset()
