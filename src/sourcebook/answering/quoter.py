"""Answers a chat of contract 003 without a language model: with quotes that cite its hits."""

from collections.abc import Sequence
from contextlib import aclosing

from sourcebook.answering.citation_markers import marked, without_last_marker
from sourcebook.answering.composer import AnswerComposer, AnswerContext
from sourcebook.answering.corpora import Corpus
from sourcebook.answering.evidence import Passage
from sourcebook.answering.evidence_judge import ANSWER_THRESHOLD, EvidenceJudge
from sourcebook.answering.extractive import MODEL, ExtractiveWriter
from sourcebook.answering.sentence_embedder import SentenceEmbedder
from sourcebook.core.answers import NOTHING_FOUND, Citation, Question
from sourcebook.core.documents import Hit
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Reader


class Quoter:
    """Quotes what answers best, or refuses. A marker [2] points to the second hit."""

    model = MODEL

    def __init__(
        self,
        corpus: Corpus,
        models: EmbeddingModels,
        reader: Reader | None = None,
        threshold: float = ANSWER_THRESHOLD,
    ) -> None:
        self._corpus = corpus
        self._models = models
        self._reader = reader
        self._threshold = threshold

    async def answer(self, question: str, hits: Sequence[Hit]) -> str:
        """The sentences of the hits that answer the question."""
        # Whatever was found, a model had embedded the question.
        embedder = next(iter(self._models), None)
        if not hits or embedder is None:
            return NOTHING_FOUND
        case = AnswerContext(Question(question, top_k=len(hits)), question, self._passages(hits))
        judge = EvidenceJudge(SentenceEmbedder(embedder), self._reader, self._threshold)
        composition = AnswerComposer(case, ExtractiveWriter(), judge)
        async with aclosing(composition.pieces()) as pieces:
            sentences = [piece async for piece in pieces]
        places = _places(composition.citations, hits)
        return "".join(_renumbered(sentence, places) for sentence in sentences).strip()

    def _passages(self, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        return tuple(
            Passage(
                number,
                hit.chunk.text,
                self._corpus.source(hit.chunk),
                hit.score,
                hit.chunk.extent,
                hit.similarity,
            )
            for number, hit in enumerate(hits, 1)
        )


def _places(citations: Sequence[Citation], hits: Sequence[Hit]) -> dict[int, int]:
    """The number of a citation, and which hit it cites."""
    by_chunk = {hit.chunk.id: place for place, hit in enumerate(hits, 1)}
    return {one.number: by_chunk[one.chunk_id] for one in citations if one.chunk_id is not None}


def _renumbered(sentence: str, places: dict[int, int]) -> str:
    """The markers at its end with the numbers of hits; others are the source's own."""
    cited: list[int] = []
    claim, number = without_last_marker(sentence)
    while number in places:
        cited.insert(0, places[number])
        sentence = claim
        claim, number = without_last_marker(sentence)
    return marked(sentence, tuple(dict.fromkeys(cited))) if cited else sentence
