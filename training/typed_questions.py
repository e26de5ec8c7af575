"""Makes questions for a figure, a price, a time or a person: some that a passage answers, some not.

Documentations rarely ask for these, and readers of other books do. Whether such a question is
answered depends on the passage alone: the words of both kinds come from the same rules.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from sourcebook.search.words import content_words
from training.question_rules import Sentence
from training.sources import Passage

_NUMBER = r"(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|hundred)"
_COUNTED = re.compile(rf"\b{_NUMBER} (?:[a-z]+ )?([a-z]{{3,}}s)\b(?! (?:of|per)\b)")
_PLURAL = re.compile(r"\b(?:the|these|all|some|other|your|its|their|many) ([a-z]{4,}s)\b")
_NO_THING_TEXT = """
seconds minutes hours days weeks months years times bytes lines steps cases ways things characters
this these others does uses allows always process access class status
"""
_NO_THING = frozenset(_NO_THING_TEXT.split())
_NO_TOPIC = frozenset(
    content_words(
        "introduction overview terminology parameters summary example usage reference notes caveats"
        " description returns arguments background conclusion prerequisites objectives what how why"
    )
)
_MARKS = re.compile(r"\{.*|\[|\]|\(.*")
_SUBJECT = re.compile(
    r"^(?:[-*] )?((?:The|A|An|This|Each|Our|Your|`|[A-Z])[\w`'./-]*(?: [\w`'./-]+){0,4}?) "
)


@dataclass(frozen=True, slots=True)
class TypedQuestion:
    """A question about a passage; `sentence` is the number of its answer, None if it has none."""

    passage: int
    question: str
    sentence: int | None


@dataclass(frozen=True, slots=True)
class _Type:
    """Forms of a question, and the marks of a sentence that can answer it."""

    forms: tuple[str, ...]
    holds: re.Pattern[str]
    excluded: re.Pattern[str]


_TYPES = (
    _Type(
        (
            "How much does {} cost?",
            "What does {} cost?",
            "What is the price of {}?",
            "How expensive is {}?",
            "How much do I have to pay for {}?",
        ),
        re.compile(r"\b(?:costs?|priced?|free of charge|fees?|paid plan|billed)\b|[$€£] ?\d", re.I),
        re.compile(r"cost|price|free|fee|paid|pay|bill|[$€£]", re.I),
    ),
    _Type(
        (
            "How long does {} take?",
            "How long does {} last?",
            "How much time does {} need?",
            "What is the duration of {}?",
        ),
        re.compile(rf"\b{_NUMBER}[ -](?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b"),
        re.compile(r"second|minute|hour|day|week|month|year|time|long|\bms\b", re.I),
    ),
    _Type(
        (
            "When was {} introduced?",
            "When was {} released?",
            "In which year was {} created?",
            "When did {} first appear?",
            "Since when does {} exist?",
        ),
        re.compile(
            r"\b(?:introduced|released|added|created|available|launched|founded|started|since)\b"
            r".{0,40}\b(?:in|since|on|with)? ?(?:version |v)?\d+[.\d]+",
            re.I,
        ),
        re.compile(r"\b(?:19|20)\d\d\b|version|introduc|releas|since|added in|\bv\d", re.I),
    ),
    _Type(
        (
            "Who created {}?",
            "Who wrote {}?",
            "Who maintains {}?",
            "Who is responsible for {}?",
            "Who owns {}?",
            "Which person is in charge of {}?",
        ),
        re.compile(
            r"\b(?:created|written|maintained|owned|developed|led|managed|run|reviewed) by\b"
            r"|\b(?:is|are) responsible for\b",
            re.I,
        ),
        re.compile(r"\bby\b|responsib|maintain|author|team|owner|creat|wrot", re.I),
    ),
    _Type(
        (
            "How big is {}?",
            "What is the size of {}?",
            "How large can {} be?",
            "What is the maximum size of {}?",
        ),
        re.compile(rf"\b{_NUMBER} ?(?:[KMG]i?B|bytes|characters|pixels|px|MB|GB|megabytes)\b"),
        re.compile(r"size|[KMG]i?B\b|byte|character|pixel|\bpx\b|large|limit|\d", re.I),
    ),
    _Type(
        (
            "Where is {} stored?",
            "Where can I find {}?",
            "Where is {} located?",
            "In which folder is {}?",
        ),
        re.compile(
            r"\b(?:stored|located|found|placed|saved|lives?|kept) (?:in|at|under|on)\b", re.I
        ),
        re.compile(r"stored|locat|found|folder|director|path|saved|placed|under|lives|/\w", re.I),
    ),
)
# What no documentation says of its subject; they teach that a known subject is no answer.
_NEVER_SAID = (
    "How heavy is {}?",
    "What colour is {}?",
    "How old is the inventor of {}?",
    "How tall is {}?",
    "What is the telephone number for {}?",
    "Who won a prize for {}?",
    "Which country does {} come from?",
    "What is the name of the wife of the author of {}?",
    "How many people died because of {}?",
    "What is the Latin name of {}?",
    "How fast does {} run in kilometres per hour?",
    "Which bank finances {}?",
    "Where was the author of {} born?",
    "How many calories does {} have?",
    "What is the warranty period of {}?",
    "On which weekday does {} meet?",
)


def typed_questions(
    passage: Passage, sentences: Sequence[Sentence], random: Random
) -> Iterator[TypedQuestion]:
    """At most two of a kind that are answered, and as many that are not."""
    texts = [passage.text[one.start : one.end] for one in sentences]
    topic = _MARKS.sub("", passage.heading.split(" > ")[-1]).strip(" .:?!`*")
    if content_words(topic)[:1] and content_words(topic)[0] in _NO_TOPIC:
        return
    yield from _counted(passage, texts, topic, random)
    kind = random.choice(_TYPES)
    for other in random.sample(_TYPES, len(_TYPES)):
        holders = [place for place, text in enumerate(texts) if other.holds.search(text)]
        # A question with a subject, and one sentence alone that can answer it.
        if len(holders) == 1 and (subject := _subject_of(texts[holders[0]])):
            form = random.choice(other.forms)
            yield TypedQuestion(passage.id, form.format(subject), holders[0])
            kind = other
            break
    if 0 < len(topic.split()) <= 5 and content_words(topic):
        if not kind.excluded.search(passage.text):
            yield TypedQuestion(passage.id, random.choice(kind.forms).format(_named(topic)), None)
        if random.random() < 0.25:
            form = random.choice(_NEVER_SAID)
            yield TypedQuestion(passage.id, form.format(_named(topic)), None)


def _counted(
    passage: Passage, texts: Sequence[str], topic: str, random: Random
) -> Iterator[TypedQuestion]:
    """How many there are of something: of what the passage counts, and of what it only names."""
    counted = {
        found[1]: place
        for place, text in enumerate(texts)
        for found in _COUNTED.finditer(text)
        if found[1] not in _NO_THING
    }
    named = {
        found[1]
        for text in texts
        for found in _PLURAL.finditer(text)
        if found[1] not in _NO_THING
        and not re.search(rf"(?:{_NUMBER}|single|one|no) (?:\w+ ){{0,2}}{found[1]}", passage.text)
    }
    if not 0 < len(topic.split()) <= 5:
        return
    forms = ("How many {} does {} have?", "What is the number of {} of {}?", "{} {} how many?")
    once = [noun for noun in counted if sum(noun in text for text in texts) == 1]
    if once:
        noun = random.choice(once)
        form = random.choice(forms)
        yield TypedQuestion(passage.id, form.format(noun, _named(topic)), counted[noun])
    if named - counted.keys():
        noun = random.choice(sorted(named - counted.keys()))
        form = random.choice(forms)
        yield TypedQuestion(passage.id, form.format(noun, _named(topic)), None)


def _subject_of(sentence: str) -> str | None:
    found = _SUBJECT.match(sentence)
    if found is None or len(content_words(found[1])) == 0:
        return None
    return found[1][0].lower() + found[1][1:] if found[1].split()[0] in _ARTICLES else found[1]


def _named(topic: str) -> str:
    return topic if topic[:1].isupper() and topic[1:2].isupper() else topic[:1].lower() + topic[1:]


_ARTICLES = frozenset({"The", "A", "An", "This", "Each", "Our", "Your"})
