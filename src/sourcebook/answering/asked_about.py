"""What a question is about, in a few words, to be named in a reply."""

import re

_OPENING = re.compile(
    r"""(?:(?:please|so|and|but|well|ok|okay)[ ,]+)*
    (?:(?:
      (?:can|could|would)\ you\ (?:please\ )?(?:tell\ me|explain|describe|show\ me)
      (?:\ (?:about|to\ me))?
    | (?:tell\ me|explain|describe)(?:\ (?:about|to\ me))?
    | do\ you\ know
    | what\ (?:do|does|did)\ (?:the\ (?:text|selection|passage|book|author)|it|this)\ say\ about
    )\b)?\s*
    (?:
      (?:what|which|who|whose|whom|when|where|why|how(?:\ (?:many|much|long|often|far|fast|old))?)
      (?:'s|’s)?\b
    )?\s*
    (?:(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had)\b)?\s*
    (?:(?:i|you|we|one)\b)?\s*
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Longer topics are cut.
LONGEST_TOPIC = 120


def asked_about(question: str) -> str:
    """The question without its asking: "What is a quaternion?" is about "a quaternion"."""
    plain = " ".join(question.split()).rstrip("?!.… ")
    opening = _OPENING.match(plain)
    topic = plain[opening.end() :] if opening else plain
    topic = topic or plain or "that"
    if len(topic) > LONGEST_TOPIC:
        topic = topic[: LONGEST_TOPIC - 1].rsplit(" ", 1)[0] + "…"
    return topic
