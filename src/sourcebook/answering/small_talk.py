"""Recognises greetings, thanks and courtesies, and replies to them without a search."""

import re
from collections.abc import Awaitable, Callable

_GREETING = (
    r"(?:hi|hiya|hello|hey|howdy|greetings|salut|hallo|hola|salam|assalamu alaikum|السلام عليكم"
    r"|sup|good (?:morning|afternoon|evening|day)|yo)"
    r"(?: (?:there|again|guys|folks|everyone|all|sourcebook|bot|friend|friends|team|to you))?"
)
_HOW_ARE_YOU = r"(?:how are you(?: doing)?(?: today)?|how(?:'s| is) it going|what'?s up)"
_ANNOUNCEMENT = r"i have (?:a|some|another) questions?"
_THANKS = (
    r"(?:thanks|thank you|thx|ty|cheers|much appreciated)"
    r"(?: (?:a lot|so much|very much|again|for (?:your|the) help))?"
)
_AGREEMENT = r"(?:ok|okay|great|perfect|cool|nice|got it)"
_FAREWELL = r"(?:good ?bye|bye(?: bye)?|see you(?: later| soon)?|good night)"
_WHO = (
    r"(?:who|what) are you|what(?: can| do) you do|what can (?:i|you) (?:ask(?: you)?|help with)"
    r"|how do you work|help(?: me)?"
)
# In a conversation this asks about its subject.
_HOW = r"how does this work"
_COURTESY = rf"(?:{_GREETING}|{_HOW_ARE_YOU}|{_ANNOUNCEMENT}|{_THANKS}|{_AGREEMENT}|{_FAREWELL})"

# The first that is found in it decides about the reply.
_REPLIES = (
    (_FAREWELL, "Goodbye! Come back with the next question."),
    (_GREETING, "Hello! Ask me about the documentation, and I will show where each answer stands."),
    (_HOW_ARE_YOU, "I am ready for your questions about the documentation."),
    (_ANNOUNCEMENT, "Ask me about the documentation, and I will show where each answer stands."),
    (_THANKS, "You are welcome. Ask on whenever you like."),
    (_AGREEMENT, "You are welcome. Ask on whenever you like."),
)
ABOUT_ME = (
    "I answer questions from the documentation and show the exact place that each answer"
    " comes from. Ask me about anything in it."
)
_MAX_LENGTH = 80
_PUNCTUATION = re.compile(r"[^\w\s']+")
_WAVING = re.compile(r"[\s👋🙂😀😊🙏👍❤\ufe0f\U0001f3fb-\U0001f3ff]+")
_ALL_COURTESY = re.compile(rf"{_COURTESY}(?: (?:and )?{_COURTESY})*")
_ASSENT = re.compile(
    r"(?:yes|yeah|yep|sure|of course|please do|go ahead|do it|do that|please|ok|okay)"
    r"(?: (?:yes|please|do|sure|go ahead|do that|thanks|search(?: for)?(?: it)?(?: in)?"
    r"|(?:the )?(?:(?:full|whole|entire) )?(?:documentation|docs|book)))*"
)
# What may stand before a question, and after it. Most of these words need a sign after them:
# "nice values" and "so far" are no courtesies.
_BEFORE = re.compile(
    rf"(?:(?:{_COURTESY}|so|well)[ \t]*[,.!:;]+\s*"
    r"|(?:hi|hiya|hello|hey|please|thanks|thank you)(?: there)?\s+(?!world\b)|👋\s*)+",
    re.IGNORECASE,
)
# The look-behind keeps a long run of spaces and dots from being tried from each of its places.
_BEHIND = re.compile(r"(?<![\s,.])[\s,.]+(?:please|thanks|thank you)[\s!.?]*$", re.IGNORECASE)
_REQUEST = re.compile(
    r"(?:(?:can|could|would) you (?:please )?(?:tell me|explain(?: to me)?|describe|show me)"
    r"|(?:please )?(?:tell me|explain to me)|i (?:want|would like|'d like) to know|do you know)"
    r"(?: about)?\s+(?=\S)",
    re.IGNORECASE,
)


def reply_to_small_talk(text: str, *, about_something: bool = False) -> str | None:
    """A reply to a message without a question; None if there is a question in it.

    With `about_something`, "How does this work?" is a question: whoever has selected a text, or has
    asked something before, means that, and not this service.
    """
    if len(text) > _MAX_LENGTH:
        return None
    if text.strip() and _WAVING.fullmatch(text):
        return _REPLIES[1][1]
    said = _plain(text)
    if re.fullmatch(_WHO, said) or (re.fullmatch(_HOW, said) and not about_something):
        return ABOUT_ME
    if not _ALL_COURTESY.fullmatch(said):
        return None
    return next(reply for pattern, reply in _REPLIES if re.search(rf"\b{pattern}", said))


async def reply_in_conversation(
    text: str, is_about_something: Callable[[], Awaitable[bool]]
) -> str | None:
    """As `reply_to_small_talk`; the conversation is looked at only if the reply depends on it."""
    about_something = asks_in_conversation_only(text) and await is_about_something()
    return reply_to_small_talk(text, about_something=about_something)


def asks_in_conversation_only(text: str) -> bool:
    """Return whether a message is small talk alone, and a question once there is a subject."""
    alone = reply_to_small_talk(text)
    return alone is not None and reply_to_small_talk(text, about_something=True) is None


def is_assent(text: str) -> bool:
    """Return whether a message says yes and nothing else."""
    return len(text) <= _MAX_LENGTH and _ASSENT.fullmatch(_plain(text)) is not None


def strip_courtesies(text: str) -> str:
    """The question in a message: what is polite around it would only blur what it is about."""
    start = _BEFORE.match(text)
    asked = text[start.end() :] if start else text
    request = _REQUEST.match(asked)
    asked = asked[request.end() :] if request else asked
    end = _BEHIND.search(asked)
    asked = asked[: end.start()] if end else asked
    return asked if asked.strip(" ?!.,") else text


def _plain(text: str) -> str:
    return " ".join(_PUNCTUATION.sub(" ", text.lower().replace("’", "'")).split())
