"""Corrects the words of a question that no chunk has, from the chunks that its reader may see."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sourcebook.core.documents import Chunk, Hit
from sourcebook.core.filters import Filter
from sourcebook.core.ports import Embedder, TermEncoder
from sourcebook.core.vectors import IndexQuery
from sourcebook.search import identifiers, spelling
from sourcebook.search.live_index import LiveIndex
from sourcebook.search.words import language_of

# As many chunks say how a word is spelled.
CHUNKS_TO_SPELL_BY = 5
# How many hits are looked at in search of those that a question may see.
MAX_LOOKED_AT = 100
MAX_NEAR_WORDS = 4
# So many words of a question are looked at.
MAX_WORDS = 5


@dataclass(frozen=True, slots=True)
class Corrector:
    """Corrects questions to one collection. What `may_see` leaves out says nothing of spelling."""

    index: LiveIndex
    terms: TermEncoder
    embedder: Embedder
    filter: Filter
    may_see: Callable[[Chunk], bool] | None

    async def corrected(self, question: str, hits: Sequence[Hit]) -> str | None:
        """The question with known words for unknown ones; None if there is nothing to correct.

        `hits` are what it finds as it is: they are about the same as what was meant.
        """
        question = spelling.composed(question)
        texts = self._visible_texts(hits)
        unknown = await self._unknown(spelling.doubtful_words(question, texts))
        corrections = await self._meant_words(question, unknown, texts)
        corrections |= await self._meant_identifiers(question, texts)
        better = spelling.corrected(question, corrections)
        return better if better != question else None

    async def _meant_words(
        self, question: str, unknown: Sequence[str], texts: Sequence[str]
    ) -> dict[str, str]:
        """Unknown words, with those that were meant."""
        if not unknown:
            return {}
        near = {word: spelling.variants(word) for word in unknown}
        counts = await self._counts([one for some in near.values() for one in some])
        language = language_of(question)
        small_words = spelling.misspelt_small_words(language)
        found = {}
        for word in unknown:
            # A name that nobody knows is not meant for a word that looks like it.
            is_name = spelling.is_name(word, question)
            count = partial(spelling.count_words, only_names=is_name)
            small = None if is_name else small_words.get(word)
            known = [one for one in near[word] if counts[one] != 0]
            # What the rest of the question finds is likely to have the word that was meant.
            meant = small or spelling.likeliest(known, count(texts))
            meant = meant or await self._most_frequent(known, counts, count)
            if meant is not None and not spelling.is_form_of(word, meant, language):
                found[word] = meant
        return found

    async def _most_frequent(
        self,
        known: Sequence[str],
        counts: Mapping[str, int | None],
        count_words: Callable[[Sequence[str]], Mapping[str, int]],
    ) -> str | None:
        """The word of which most chunks have a form, and at least one that may be seen has itself.

        Where they have other forms only, it must be a word that the embedding model knows.
        """
        forms: dict[str, list[str]] = {}
        for one in sorted(filter(counts.get, known), key=lambda one: -(counts[one] or 0)):
            forms.setdefault(spelling.stem(one), []).append(one)
        for some in list(forms.values())[:MAX_NEAR_WORDS]:
            said = count_words(await self._texts_with(some))
            meant = spelling.likeliest(some, said)
            if meant is None and said:
                plain = await plain_words(some, self.embedder)
                meant = spelling.likeliest_form(plain, said)
            if meant is not None:
                return meant
        return None

    async def _meant_identifiers(self, question: str, texts: Sequence[str]) -> dict[str, str]:
        """Identifiers that no chunk has, with those that were meant."""
        found = {}
        for typed in identifiers.doubtful_identifiers(question, texts):
            near = [*texts, *await self._texts_with([typed])]
            slip = await asyncio.to_thread(identifiers.find_slip, typed, near, question)
            if slip and not await self._is_word(slip.part):
                found[typed.lower()] = slip.meant
        return found

    async def _is_word(self, part: str) -> bool:
        """Whether a part of an identifier is meant as it is typed."""
        # Models have many short tokens whole that are no words.
        if len(part) >= spelling.MIN_LENGTH:
            return not await self._unknown([part])
        return await self._is_known(part, (await self._counts([part]))[part])

    async def _unknown(self, words: Sequence[str]) -> list[str]:
        """Those that neither a chunk that may be seen nor the embedding model knows."""
        counts = await self._counts(words)
        unknown = [word for word in words if not await self._is_known(word, counts[word])]
        plain = await plain_words(unknown[:MAX_WORDS], self.embedder)
        return [word for word in unknown[:MAX_WORDS] if word not in plain]

    async def _is_known(self, word: str, count: int | None) -> bool:
        """Whether a chunk that may be seen has a word, in any form; yes if nobody can tell."""
        if not count or self.may_see is None:
            return count != 0
        return bool(await self._texts_with([word]))

    async def _counts(self, words: Sequence[str]) -> dict[str, int | None]:
        """In how many chunks that pass the filter each word stands, in any form.

        None of a word that is never looked for.
        """
        if not words:
            return {}
        terms = dict(zip(words, self.terms.of_words(words), strict=True))
        wanted = {term for term in terms.values() if term is not None}
        counts = await self.index.count_terms(wanted, self.filter)
        return {word: None if term is None else counts.get(term, 0) for word, term in terms.items()}

    async def _texts_with(self, words: Sequence[str]) -> list[str]:
        """The texts of the chunks that fit some words best, of those that may be seen."""
        limit = MAX_LOOKED_AT if self.may_see else CHUNKS_TO_SPELL_BY
        # Only the words count: any vector will do.
        nowhere = (1.0, *(0.0,) * (self.embedder.dimensions - 1))
        sparse = self.terms.query(" ".join(words)).vector
        query = IndexQuery(nowhere, limit, self.filter, sparse=sparse, by_terms_alone=True)
        hits, _ = await self.index.best(query, len(words), "keyword")
        found = [hit for hit in hits if hit.terms and hit.terms.bm25 > 0]
        return self._visible_texts(found)[:CHUNKS_TO_SPELL_BY]

    def _visible_texts(self, hits: Iterable[Hit]) -> list[str]:
        see = self.may_see
        return [spelling.composed(hit.chunk.text) for hit in hits if not see or see(hit.chunk)]


async def plain_words(words: Sequence[str], embedder: Embedder) -> list[str]:
    """The words that are one token: a model has frequent words whole, and no typos."""
    if not words:
        return []
    tokens = await embedder.tokenize(words)
    return [word for word, spans in zip(words, tokens, strict=True) if len(spans) == 1]
