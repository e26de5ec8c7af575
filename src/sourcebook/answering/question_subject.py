"""The subject of a question in a few words, to be named in a refusal."""

import re

from sourcebook.answering.small_talk import strip_courtesies

_OPENING = re.compile(
    r"""(?:(?:please|so|and|but|well|ok|okay)[ ,]+)*
    (?:(?:
      (?:can|could|would)\ you\ (?:please\ )?(?:tell\ me|explain|describe|show\ me)
      (?:\ (?:about|to\ me))?
    | (?:tell\ me|explain|describe)(?:\ (?:about|to\ me))?
    | do\ you\ know
    | what\ (?:do|does|did)\ (?:the\ (?:text|selection|passage|book|author)|it|this)\ say\ about
    )\b)?\s*
    (?:(?:what|who)(?:['’]s|\ (?:is|are|was|were))\b)?\s*
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A clause or the rest of one, which names nothing: "Who designed the pier", "designed in 1890".
_CLAUSE = re.compile(
    r"""(?:it|its|they|them|he|she|this|that|these|those|there|i|me|you|we|us|not|and|or
    |of|in|on|at|to|for|from|with|by|about|into
    |what|which|who|whose|whom|when|where|why|how)(?:['’]\w+)?\b
    |\w+(?:ed|en)[ ]
    |.*\b(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had|says?)\b
    |.*\ (?:of|in|on|at|to|for|from|with|by|about|into)\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_KINDS = r"(?:text|selection|passage|paragraph|section|page|lesson|article|chapter)"
_TEXT = rf"(?:it|(?:this|that|these|the)(?:\ {_KINDS})?)"
_OF_THE_WHOLE = re.compile(
    rf"""(?:please\ )?(?:
      (?:summari[sz]e|explain|describe|outline|paraphrase|simplify)(?:\ {_TEXT})?(?:\ to\ me)?
    | what(?:'s|\ is|\ are)\ {_TEXT}(?:\ (?:all\ )?(?:about|saying))?
    | what\ does\ {_TEXT}\ (?:mean|say|tell(?:\ us|\ me)?)
    | what(?:'s|\ is|\ are)\ the\ (?:main|key)\ (?:point|idea|message)s?(?:\ (?:of\ this|here))?
    | (?:give\ me\ )?(?:a\ )?summary(?:\ please)?|tl;?dr
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# Longer topics are cut.
MAX_SUBJECT_LENGTH = 120


def subject_of(question: str) -> str:
    """The question without its asking: "What is a quaternion?" is about "a quaternion".

    Where no few words are left that could be named, it is the question itself, in quotes.
    """
    plain = " ".join(strip_courtesies(question).split()).rstrip("?!.… ")
    opening = _OPENING.match(plain)
    topic = plain[opening.end() :] if opening else plain
    quoted = not topic or _CLAUSE.match(topic) is not None
    topic = plain if quoted else topic
    if len(topic) > MAX_SUBJECT_LENGTH:
        topic = topic[: MAX_SUBJECT_LENGTH - 1].rsplit(" ", 1)[0] + "…"
    return f'"{topic}"' if quoted and topic else topic or "that"


def asks_about_whole_text(question: str) -> bool:
    """Return whether a question names no subject of its own: "What is this about?"."""
    plain = " ".join(strip_courtesies(question).replace("’", "'").split()).rstrip("?!.… ")
    return _OF_THE_WHOLE.fullmatch(plain) is not None
