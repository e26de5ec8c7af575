"""Asks an earlier question about something else: "And rules?" after "How do I add cameras?"."""

import re

from sourcebook.search.words import read_words

_ARTICLE = r"(?:(?P<article>an?|the|my|our|your)\ )?"
_PLACES = "on|in|for|with|without|from|at|under|of"
_ASIDE = re.compile(
    rf"""(?:and|(?:(?:and|but)\ )?(?:what|how)\ about)\ (?P<phrase>(?:(?P<place>{_PLACES})\ )?
    {_ARTICLE}(?P<thing>\w[\w'’-]{{0,40}}(?:\ [\w'’-]{{1,40}}){{0,2}}))[\s?!.]*""",
    re.IGNORECASE | re.VERBOSE,
)
# A thing is all that stands before one of these, or the end.
_AFTER = rf"(?=\ (?:{_PLACES}|to|by|and|or|when|if)\b|[\s?!.]*$)"
_THING = rf"{_ARTICLE}(?P<thing>[\w'’-]{{1,40}}(?:\ [\w'’-]{{1,40}}){{0,2}}?)"
_I = r"(?:i|you|we|one)"
_DONE = rf"""\w{{2,30}}(?:\ (?:up|out|off|on|in|down|back|over|away)(?=\ \w))?
    \ (?P<phrase>{_THING}){_AFTER}"""
_ASKED = tuple(
    re.compile(form, re.IGNORECASE | re.VERBOSE)
    for form in (
        rf"\bhow\ (?:(?:do|can|could|should|would|must|may)\ {_I}|to)\ {_DONE}",
        rf"^(?:can|could|may|must|should|do)\ {_I}\ (?:(?:have|need)\ to\ )?{_DONE}",
        rf"\b(?:what|who|where)\ (?:is|are|was|were)\ (?P<phrase>{_THING}){_AFTER}",
        rf"\b(?:what|how|where|when|why)\ (?:does|do|did)\ (?!{_I}\b)"
        rf"(?P<phrase>{_ARTICLE}(?P<thing>[\w'’-]{{1,40}}))\ \w",
    )
)
_PLACED = re.compile(
    rf"\b(?P<phrase>(?P<place>{_PLACES})\ {_THING}){_AFTER}", re.IGNORECASE | re.VERBOSE
)
# Said of any subject: "And examples?", "What about the second?"
_NO_COUNTERPARTS = frozenset(
    {"thanks", "thank", "example", "examples", "details", "errors", "others", "general", "end"}
    | {"first", "second", "third", "last", "next", "rest", "limits", "alternatives", "reasons"}
)
# What a thing has: "And the price?" after "And a cabin?" asks for the price of the cabin.
_ATTRIBUTE_TEXT = """
address advantage age amount author benefit capacity colour color cost date deadline default delay
depth difference disadvantage downside duration fee format height interval length license licence
limit location maximum meaning minimum name number order owner path port price purpose range rate
reason result risk role scope shape size speed state status structure syntax time timeout type unit
url use value version weight width
"""
_ATTRIBUTES = frozenset(
    form for word in _ATTRIBUTE_TEXT.split() for form in (word, f"{word}s", f"{word}es")
)
_NAME = re.compile(r"[A-Z0-9]")
_PLURAL = re.compile(r"[^s\W]s\Z", re.IGNORECASE)


def ask_instead(question: str, aside: str, *, again: bool = False) -> str | None:
    """Return the question with what an aside names in the place of its counterpart.

    None if it is not clear what that is: it stands after the same preposition, or both have the
    same article, or both are plurals. Names only take the place of others after a preposition:
    "And Windows?" after "How do I install Redis?" is no counterpart. If an aside has already taken
    a place, the next one does `again`, also with another article: "And the leader?".
    """
    question = " ".join(question.split())
    named = _ASIDE.fullmatch(" ".join(aside.split()))
    if named is None or not _is_named(named):
        return None
    asked = (
        _placed(question, named["place"])
        if named["place"]
        else _done_to(question, named, again=again)
    )
    if asked is None or not _is_named(asked):
        return None
    return question[: asked.start("phrase")] + named["phrase"] + question[asked.end("phrase") :]


def _is_named(one: re.Match[str]) -> bool:
    """Whether every word says what is meant: `its rules` and `why` do not."""
    words = read_words(one["thing"])
    return all(
        word.kind == "content" and word.text.lower() not in _NO_COUNTERPARTS for word in words
    )


def _placed(question: str, place: str) -> re.Match[str] | None:
    """The last thing that stands after a preposition."""
    found = [one for one in _PLACED.finditer(question) if one["place"].lower() == place.lower()]
    return found[-1] if found else None


def _done_to(question: str, named: re.Match[str], *, again: bool) -> re.Match[str] | None:
    """What something is done to, or asked of, if it has the form of what is named now."""
    found = next((asked for form in _ASKED if (asked := form.search(question))), None)
    return found if found and _is_alike(found, named, again=again) else None


def _is_alike(one: re.Match[str], other: re.Match[str], *, again: bool) -> bool:
    if _NAME.search(one["thing"]) or _NAME.search(other["thing"]):
        return False
    articles = {_class(one["article"]), _class(other["article"])}
    if articles == {"a"}:
        return True
    if again and articles == {"a", "the"}:
        return other["thing"].split()[-1].lower() not in _ATTRIBUTES
    if articles == {""}:
        return all(_PLURAL.search(each["thing"]) for each in (one, other))
    return len(articles) == 1 and len(one["thing"].split()) == len(other["thing"].split())


def _class(article: str | None) -> str:
    return (article or "").lower().replace("an", "a")
