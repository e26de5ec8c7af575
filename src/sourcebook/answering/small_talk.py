"""Greetings and thanks: nothing to look up, so nothing to cite."""

import re

_GREETING = re.compile(
    r"(?:hi|hiya|hello|hey|howdy|greetings|salut|hallo|hola|salam|assalamu alaikum"
    r"|good (?:morning|afternoon|evening|day)|what'?s up|yo)"
    r"(?: (?:there|again|everyone|all|sourcebook|bot|friend|team))?"
    r"(?: how are you(?: doing)?(?: today)?)?"
)
_HOW_ARE_YOU = re.compile(r"how are you(?: doing)?(?: today)?|how(?:'s| is) it going")
_THANKS = re.compile(
    r"(?:ok |okay |great |perfect |cool )?"
    r"(?:thanks|thank you|thx|ty|cheers|much appreciated)"
    r"(?: (?:a lot|so much|very much|again|for (?:your|the) help))?"
    r"|ok|okay|great|perfect|cool|nice|got it"
)
_FAREWELL = re.compile(r"(?:good ?bye|bye(?: bye)?|see you(?: later| soon)?|good night)")
_WHO = re.compile(
    r"(?:who|what) are you|what(?: can| do) you do|what can (?:i|you) (?:ask(?: you)?|help with)"
    r"|how (?:do you|does this) work|help(?: me)?"
)

_REPLIES = (
    (_GREETING, "Hello! Ask me about the documentation, and I will show where each answer stands."),
    (_HOW_ARE_YOU, "I am ready for your questions about the documentation."),
    (_THANKS, "You are welcome. Ask on whenever you like."),
    (_FAREWELL, "Goodbye! Come back with the next question."),
    (
        _WHO,
        "I answer questions from the documentation and show the exact place that each answer"
        " comes from. Ask me about anything in it.",
    ),
)
_LONGEST = 80
_PUNCTUATION = re.compile(r"[^\w\s']+")


def reply_to_small_talk(text: str) -> str | None:
    """What to say to somebody who only says hello; None if there is a question in it."""
    if len(text) > _LONGEST:
        return None
    said = " ".join(_PUNCTUATION.sub(" ", text.lower().replace("’", "'")).split())
    for pattern, reply in _REPLIES:
        if pattern.fullmatch(said):
            return reply
    return None
