"""Checks a claim against the evidence. docs/decisions/0012 has the measurements."""

from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.answering.claims import Claim, read_claim
from sourcebook.answering.evidence_index import EvidenceIndex, SentenceWindow
from sourcebook.answering.statements import Statement
from sourcebook.core.documents import Span
from sourcebook.core.vectors import Vector

# The share of a claim that must be in the evidence: where BEGIN's attributable answers part best
# from the others, and between 0.65 and 0.75 it hardly matters.
MIN_SUPPORT = 0.7
# What is found elsewhere counts from here on, so that a stray word proves nothing.
MIN_SECOND_SHARE = 0.25
# What is wrong loses half of its score, and so never reaches MIN_SUPPORT.
WRONG_PENALTY = 0.5


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """Whether a claim is supported, by which passage, and where in that passage's text.

    `reason` says why not: `little_support`, `figure`, `name` or `negation`.
    """

    supported: bool
    score: float
    passage: int | None
    span: Span | None
    reason: str = ""


class ClaimChecker:
    """Checks claims against evidence that is indexed once.

    The statements of a passage stand next to each other and in order.
    """

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._evidence = EvidenceIndex(statements)

    def check(self, text: str, vector: Vector | None = None) -> ClaimVerdict:
        """Judge whether the statements support a sentence. The vector only decides ties."""
        claim = read_claim(text)
        if not claim.content:
            return ClaimVerdict(False, 0.0, None, None, "little_support")
        copied = self._evidence.find_copy(claim)
        if copied is not None:
            score, reason = (WRONG_PENALTY, "negation") if copied.denied else (1.0, "")
            return self._verdict(copied.window, score, reason)
        best = self._evidence.best_window(claim, vector)
        if best is None:
            return ClaimVerdict(False, 0.0, None, None, "little_support")
        second = self._evidence.second_window(claim, best, min_share=MIN_SECOND_SHARE)
        windows = [best] if second is None else [best, second]
        score = claim.share(*(window.covered for window in windows))
        reason = self._wrong(claim, windows)
        if reason:
            return self._verdict(best, WRONG_PENALTY * score, reason)
        return self._verdict(best, score, "" if score >= MIN_SUPPORT else "little_support")

    def _wrong(self, claim: Claim, windows: Sequence[SentenceWindow]) -> str:
        if not all(self._evidence.has_figure(claim, place, windows) for place in claim.figures):
            return "figure"
        if not all(map(self._evidence.has_name, claim.names)):
            return "name"
        if self._evidence.names_another(claim, windows):
            return "name"
        return "negation" if self._evidence.denies(claim, windows) else ""

    def _verdict(self, window: SentenceWindow, score: float, reason: str) -> ClaimVerdict:
        passage, span = self._evidence.location(window)
        return ClaimVerdict(not reason, score, passage, span, reason)


def check_claim(claim: str, vector: Vector | None, statements: Sequence[Statement]) -> ClaimVerdict:
    """Judge whether the statements support a sentence of an answer, without its markers."""
    return ClaimChecker(statements).check(claim, vector)
