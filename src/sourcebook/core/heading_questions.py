"""Reads headings: the question that one asks, or the thing that it names."""

import re

MAX_TOPIC_WORDS = 3
MAX_TASK_WORDS = 6

# Headings that say what a section is for, and not what it is about.
_GENERIC_WORDS = """
about abstract acknowledgements acknowledgments appendix background before begin changelog chapter
checklist conclusion contents contributing discussion example examples exercise exercises faq
foreword further getting glossary goals home index introduction lesson license links module next
note notes objectives outcomes outline overview preface prerequisites quiz readme recap reading
references related requirements resources review see setup summary task tasks tips todo try
tutorial usage warning week welcome what's
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())
# Words with which a heading begins that tells what to do.
_TASK_WORDS = """
add adopt ask avoid build call change check choose clean configure connect create define delete
deploy enable explore find fix generate get handle import install join make manage move open prepare
publish put read remove restore run search send set share show start stop store take test train
translate understand update upgrade use verify watch write
"""
_TASKS = frozenset(_TASK_WORDS.split())
# Words with which a heading begins that names no thing: it goes on, or asks.
_NO_THING_WORDS = """
back give go in keep know learn let look more of on other own pick post to with work your
how what when where which who why
"""
_NO_THING = _TASKS.union(_NO_THING_WORDS.split())
_NUMBERING = re.compile(
    r"(?:(?:lesson|chapter|module|part|section|unit|week|step)\s+)?\d+(?:\.\d+)*\s*[-–—:.)]*\s+",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"[`*]|\{#[^{}]*\}|<[^<>]*>")
_PLAIN = re.compile(r"[\w\s,.:;()/+#&'’?–—-]+")
_QUESTION = re.compile(r"(?:what|who|which|when|where|why|how) (?:is|are|was|do|does|can)\b", re.I)
_HOW_TO = re.compile(r"how to (\w.*)", re.IGNORECASE)
# One thing, although it ends in s; `APIs` are several.
_SINGULAR = re.compile(
    r"(?-i:(?!.*[A-Z]s$)).*(?:ss|us|is|os|\.js|postgres|kubernetes|news"
    r"|(?:am|an|at|hys|om|on|ot|ist|eth|opt)ics)|(?-i:[A-Z0-9]*S)",
    re.IGNORECASE,
)
_YOUR = re.compile(r"\byour\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the)\s", re.IGNORECASE)


def question_in(heading: str) -> str | None:
    """Return the question that a heading asks: as it stands, or for `How to …`."""
    text = clean_heading(heading)
    if not _PLAIN.fullmatch(text):
        return None
    if how := _HOW_TO.fullmatch(text.rstrip("?.: ")):
        return f"How do I {how[1]}?"
    if len(text.split()) > 2 and (text.endswith("?") or _QUESTION.match(text)):
        return text.rstrip("?.: ") + "?"
    return None


def task_in(heading: str) -> str | None:
    """Return the question how to do what a heading tells to do, like `Deploy your site`."""
    text = clean_heading(heading).rstrip(".: ")
    words = text.split()
    if not 2 <= len(words) <= MAX_TASK_WORDS or not _PLAIN.fullmatch(text) or "?" in text:
        return None
    first = words[0].lower()
    return (
        f"How do I {_YOUR.sub('my', ' '.join([first, *words[1:]]))}?" if first in _TASKS else None
    )


def topic_in(heading: str) -> str | None:
    """Return what a heading names: a short noun phrase, as far as that can be told."""
    text = clean_heading(heading).rstrip("?.: ")
    article = _ARTICLE.match(text)
    words = (text[article.end() :] if article else text).split()
    if not 1 <= len(words) <= MAX_TOPIC_WORDS or not _PLAIN.fullmatch(text):
        return None
    first, last = words[0].lower(), words[-1].lower()
    if {first, last} & _GENERIC or first in _NO_THING or first.endswith("ing") or len(text) < 3:
        return None
    return text if article is None else article[0].lower() + " ".join(words)


def definition_of(topic: str) -> str:
    """Ask what a thing is, or what things are."""
    last = topic.rsplit(maxsplit=1)[-1]
    plural = " and " in topic or (last.lower().endswith("s") and not _SINGULAR.fullmatch(last))
    return f"What {'are' if plural else 'is'} {topic}?"


def is_generic(heading: str) -> bool:
    """Return whether a heading only says what its section is for, like `Further reading`."""
    words = clean_heading(heading).rstrip("?.:! ").lower().split()
    short = len(words) <= MAX_TOPIC_WORDS
    return not words or (short and not _GENERIC.isdisjoint((words[0], words[-1])))


def clean_heading(heading: str) -> str:
    """Return the text of a heading without markup and number."""
    text = " ".join(_MARKUP.sub("", heading).split())
    numbered = _NUMBERING.match(text)
    return text[numbered.end() :] if numbered else text
