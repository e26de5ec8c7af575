"""Turns texts, or pairs of texts, into windows of tokens with the model's special tokens."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tokenizers import Encoding, Tokenizer

from sourcebook.core.documents import TokenSpans
from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.model_folder import ModelFolder
from sourcebook.providers.inference.windows import TokenWindow, batched, cut


@dataclass(frozen=True, slots=True)
class Frame:
    """The special tokens around one text or a pair, and the type of each part."""

    before: list[int]
    between: list[int]
    after: list[int]
    second_type: int

    @property
    def size(self) -> int:
        """How many tokens of a window the frame takes up."""
        return len(self.before) + len(self.between) + len(self.after)

    def around(self, first: list[int], second: list[int], weight: int) -> TokenWindow:
        """Put the frame around the tokens of one text or a pair."""
        head = [*self.before, *first, *self.between]
        tail = [*second, *self.after]
        types = [0] * len(head) + [self.second_type] * len(tail)
        return TokenWindow([*head, *tail], types, max(1, weight))


@dataclass(frozen=True, slots=True)
class PlacedTokens:
    """The tokens of a text, and where each begins and ends."""

    ids: list[int]
    spans: TokenSpans


class WindowTokenizer:
    """A model's tokenizer that never truncates. Safe to use from several threads."""

    def __init__(self, folder: ModelFolder) -> None:
        self._folder = folder
        self._tokenizer = _load(folder)
        self._single = _single_frame(self._tokenizer.encode("a"))

    def windows(self, texts: Sequence[str], prompt: str = "") -> list[list[TokenWindow]]:
        """Return the windows of each text; each window begins with the prompt."""
        lead = self._tokens([prompt])[0] if prompt else []
        room = self._folder.max_tokens - self._single.size
        if 2 * len(lead) > room:
            raise ConfigurationError(
                f"The prompt {prompt[:60]!r} takes {len(lead)} of the {room} tokens that the model"
                " reads at once. Use a shorter one"
            )
        return [
            self._text_windows(tokens, lead, room)
            for tokens in self._tokens([prompt + text for text in texts])
        ]

    def spans(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Return where the tokens of each text begin and end."""
        return [tokens.spans for tokens in self.placed(texts)]

    def placed(self, texts: Sequence[str]) -> list[PlacedTokens]:
        """Return the tokens of each text with their places."""
        if self._folder.lowercase:
            texts = [_lowered_in_place(text) for text in texts]
        encodings = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        return [PlacedTokens(encoding.ids, encoding.offsets) for encoding in encodings]

    def pair_frame(self) -> Frame:
        """Return the special tokens around a pair."""
        return _pair_frame(self._tokenizer.encode("a", "a"), self._folder)

    def pair_windows(self, query: str, texts: Sequence[str]) -> list[list[TokenWindow]]:
        """Return the windows of each text, each paired with the query."""
        frame = self.pair_frame()
        question, *answers = self._tokens([query, *texts])
        return [self._windows_with(question, answer, frame) for answer in answers]

    def claim_windows(
        self, pairs: Sequence[tuple[str, str]], separators: int | None = None
    ) -> list[list[TokenWindow]]:
        """Return the windows of each premise, each paired with the whole claim.

        There is none if the claim takes more than half of the tokens that the model reads at once:
        half a claim must not be judged. `separators` is for a model that was trained with fewer of
        them between the two than its tokenizer puts there.
        """
        frame = self.pair_frame()
        frame = replace(frame, between=frame.between[:separators])
        tokens = self._tokens([text for pair in pairs for text in pair])
        return [self._claim_windows(premise, claim, frame) for premise, claim in batched(tokens, 2)]

    def _text_windows(self, tokens: list[int], lead: list[int], room: int) -> list[TokenWindow]:
        windows = []
        for part in cut(len(tokens), room, room - len(lead)):
            own = tokens[part.start : part.stop]
            # The prompt is in the first window already, joined to the text as the model knows it.
            repeated = lead if part.start else []
            windows.append(self._single.around([*repeated, *own], [], len(own)))
        return windows

    def _windows_with(
        self, question: list[int], answer: list[int], frame: Frame
    ) -> list[TokenWindow]:
        room = self._folder.max_tokens - frame.size
        if len(question) + len(answer) > room:
            question = question[: room // 2]
        left = room - len(question)
        return [
            frame.around(question, answer[part.start : part.stop], len(part))
            for part in cut(len(answer), left, left)
        ]

    def _claim_windows(
        self, premise: list[int], claim: list[int], frame: Frame
    ) -> list[TokenWindow]:
        left = self._folder.max_tokens - frame.size - len(claim)
        if len(premise) > left < len(claim):
            return []
        return [
            frame.around(premise[part.start : part.stop], claim, len(part))
            for part in cut(len(premise), max(left, 1), max(left, 1))
        ]

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        if self._folder.lowercase:
            texts = [text.lower() for text in texts]
        encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]


def _lowered_in_place(text: str) -> str:
    """Lower a text, except the few characters that would become two and shift all others."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def _load(folder: ModelFolder) -> Tokenizer:
    path = folder.path / "tokenizer.json"
    if not path.exists():
        raise ConfigurationError(
            f"{path} is missing. Save the model's fast tokenizer beside its weights"
        )
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more exact
        raise ConfigurationError(
            f"{path} cannot be read: {error}. Restore the file from the model's origin"
        ) from error
    # Some folders say to cut and pad every text at 128 tokens; nothing may be cut here.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _single_frame(probe: Encoding) -> Frame:
    inside = [place for place, sequence in enumerate(probe.sequence_ids) if sequence == 0]
    if not inside:
        return Frame(before=probe.ids, between=[], after=[], second_type=0)
    return Frame(
        before=probe.ids[: inside[0]], between=[], after=probe.ids[inside[-1] + 1 :], second_type=0
    )


def _pair_frame(probe: Encoding, folder: ModelFolder) -> Frame:
    first = [place for place, sequence in enumerate(probe.sequence_ids) if sequence == 0]
    second = [place for place, sequence in enumerate(probe.sequence_ids) if sequence == 1]
    if not first or not second:
        raise ConfigurationError(
            f"{folder.path / 'tokenizer.json'} gives no tokens for plain letters."
            " Restore the file from the model's origin"
        )
    return Frame(
        before=probe.ids[: first[0]],
        between=probe.ids[first[-1] + 1 : second[0]],
        after=probe.ids[second[-1] + 1 :],
        second_type=0 if folder.architecture.is_roberta else probe.type_ids[second[0]],
    )
