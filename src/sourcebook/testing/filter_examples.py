"""Filters for tests: cases with what each of them finds, and Hypothesis strategies.

The strategies draw fields and values from small pools, so that most filters match something and
most fields hold several types across documents.
"""

import sys

from hypothesis import strategies as st

from sourcebook.core.filters import EVERYTHING, AllOf, AnyOf, Compare, Filter, Not, OneOf
from sourcebook.core.metadata import JsonValue, Metadata, Scalar

# What the cases are looked for in, by name.
DOCUMENTS: dict[str, Metadata] = {
    "one": {"tier": 1, "module": "intro", "tags": ["red", "green"], "hardware_tier": 1},
    "two": {"tier": 2.0, "module": "intro", "draft": True, "hardware_tier": 2},
    "three": {"tier": 3, "module": "advanced", "tags": [1, 2], "draft": False},
    "words": {"tier": "2", "draft": "true", "a.b": "dotted", "名前": "本"},
    "odd": {"tier": None, "module": {"intro": 1}, "tags": [], "draft": 1, "a": {"b": "dotted"}},
    "empty": {},
    "half": {"hardware_tier": 1.5},
    "listed": {"hardware_tier": [-1, 3]},
    "mixed": {"module": ["mixed", 1, True, None, {"intro": 1}]},
}

# A name, the filter, and the names of the documents that it finds.
CASES: list[tuple[str, Filter, str]] = [
    ("everything", EVERYTHING, "one two three words odd empty half listed mixed"),
    ("nothing", AnyOf(()), ""),
    ("not nothing", Not(AnyOf(())), "one two three words odd empty half listed mixed"),
    ("not everything", Not(EVERYTHING), ""),
    ("text", OneOf("module", ("intro",)), "one two"),
    ("text of several", OneOf("module", ("intro", "advanced")), "one two three"),
    ("text is case sensitive", OneOf("module", ("Intro",)), ""),
    ("no values", OneOf("module", ()), ""),
    (
        "not one of no values",
        Not(OneOf("module", ())),
        "one two three words odd empty half listed mixed",
    ),
    ("a float finds an integer", OneOf("tier", (1.0,)), "one"),
    ("an integer finds a float", OneOf("tier", (2,)), "two"),
    ("a word is not a number", OneOf("tier", ("2",)), "words"),
    ("values of several types", OneOf("tier", (1, "2")), "one words"),
    ("true", OneOf("draft", (True,)), "two"),
    ("false", OneOf("draft", (False,)), "three"),
    ("one is not true", OneOf("draft", (1,)), "odd"),
    ("the word true is not true", OneOf("draft", ("true",)), "words"),
    ("not true", Not(OneOf("draft", (True,))), "one three words odd empty half listed mixed"),
    ("not one", Not(OneOf("draft", (1,))), "one two three words empty half listed mixed"),
    (
        "not a fraction",
        Not(OneOf("hardware_tier", (1.5,))),
        "one two three words odd empty listed mixed",
    ),
    ("an element of a list", OneOf("tags", ("green",)), "one"),
    ("a number in a list", OneOf("tags", (2.0,)), "three"),
    ("a list is never smaller", Compare("tags", "lte", 5), ""),
    ("less", Compare("tier", "lt", 2), "one"),
    ("less than a fraction", Compare("hardware_tier", "lt", 1.5), "one"),
    ("more than a fraction", Compare("hardware_tier", "gt", 1.5), "two"),
    ("a fraction is no integer", OneOf("hardware_tier", (1.5,)), "half"),
    ("a list of tiers is never smaller", Compare("hardware_tier", "lte", 0), ""),
    ("a text in a mixed list", OneOf("module", ("mixed",)), "mixed"),
    ("a number in a mixed list", OneOf("module", (1,)), "mixed"),
    ("true in a mixed list", OneOf("module", (True,)), "mixed"),
    ("a word that is in no mixed list", OneOf("module", ("true", "1")), ""),
    (
        "not a text in a mixed list",
        Not(OneOf("module", ("mixed",))),
        "one two three words odd empty half listed",
    ),
    ("an element of a list of tiers", OneOf("hardware_tier", (-1,)), "listed"),
    ("at most", Compare("tier", "lte", 2), "one two"),
    ("more", Compare("tier", "gt", 2), "three"),
    ("at least", Compare("tier", "gte", 2), "two three"),
    ("a boolean is not compared", Compare("draft", "gte", 0), "odd"),
    (
        "not includes the missing",
        Not(OneOf("module", ("intro",))),
        "three words odd empty half listed mixed",
    ),
    (
        "not more includes the missing",
        Not(Compare("tier", "gt", 1)),
        "one words odd empty half listed mixed",
    ),
    ("a key with a dot is no path", OneOf("a.b", ("dotted",)), "words"),
    ("an object matches nothing", OneOf("a", ("dotted",)), ""),
    ("a key in another script", OneOf("名前", ("本",)), "words"),
    ("an unknown field", OneOf("unknown", ("x",)), ""),
    ("all", AllOf((OneOf("module", ("intro",)), OneOf("tier", (2,)))), "two"),
    ("any", AnyOf((OneOf("tier", (3,)), OneOf("draft", (True,)))), "two three"),
    ("nested", AllOf((AnyOf((OneOf("tier", (1, 2)),)), Not(OneOf("draft", (True,))))), "one"),
]


_ODD_FIELDS = ("a.b", "_chunk_id", "_xab", "s_module", "名前", 'with "quotes"', "list[0]", " ", "%")
# Two fields of a book, which a store may filter in another way, and names that it may use itself.
_KNOWN_FIELDS = ("hardware_tier", "module", "text", "_sourcebook")
FIELDS = (*_KNOWN_FIELDS, "tag-list", "a", *_ODD_FIELDS)
TEXTS = (
    "",
    "intro",
    "Intro",
    "1",
    "true",
    "null",
    "\u00e9t\u00e9",
    "e\u0301te\u0301",
    "😀",
    "a'b\"c\\",
    "%",
    "_",
    " ",
)
_EDGES = (sys.float_info.max, sys.float_info.min, 5e-324, 1e308, -1e308)
_BEYOND_DOUBLES = (2**53, 2**53 + 1, 2**63, -(2**63) - 1, 10**30)
NUMBERS = (0, 1, 2, -1, 0.0, -0.0, 1.0, 0.1, 1.5, *_BEYOND_DOUBLES, *_EDGES)


def fields() -> st.SearchStrategy[str]:
    """Names of fields; often those of a book, of which few have values of several kinds."""
    return st.one_of(st.sampled_from(_KNOWN_FIELDS), st.sampled_from(FIELDS))


def texts() -> st.SearchStrategy[str]:
    """Mostly texts from a small pool, so that they match; now and then any text at all."""
    unmet = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))
    return st.one_of(st.sampled_from(TEXTS), st.sampled_from(TEXTS), unmet)


def numbers() -> st.SearchStrategy[int | float]:
    """Small, huge, tiny and zero, as integers and as floats."""
    return st.one_of(
        st.sampled_from(NUMBERS),
        st.integers(-3, 3),
        st.floats(allow_nan=False, allow_infinity=False),
    )


def scalar_values() -> st.SearchStrategy[Scalar]:
    """Anything that a filter can compare with."""
    return st.one_of(texts(), numbers(), st.booleans())


def json_values() -> st.SearchStrategy[JsonValue]:
    """Anything that a metadata field can hold."""
    nested: st.SearchStrategy[JsonValue] = st.dictionaries(
        st.sampled_from(FIELDS), scalar_values(), max_size=2
    )
    elements = st.one_of(scalar_values(), st.none(), nested)
    lists: st.SearchStrategy[JsonValue] = st.lists(elements, max_size=3)
    mixed: st.SearchStrategy[JsonValue] = st.tuples(texts(), scalar_values()).map(list)
    return st.one_of(scalar_values(), scalar_values(), lists, mixed, st.none(), nested)


def metadata() -> st.SearchStrategy[Metadata]:
    """The metadata of one document; most fields are missing."""
    return st.dictionaries(fields(), json_values(), max_size=5)


def filters() -> st.SearchStrategy[Filter]:
    """Any filter, up to a few levels deep."""
    one_of = st.builds(OneOf, fields(), st.lists(scalar_values(), max_size=3).map(tuple))
    bounds = st.one_of(numbers(), st.sampled_from((float("inf"), float("-inf"))))
    orders = st.sampled_from(("gt", "gte", "lt", "lte"))
    compare = st.builds(Compare, fields(), orders, bounds)
    leaves: st.SearchStrategy[Filter] = st.one_of(one_of, compare)
    return st.recursive(leaves, _joined, max_leaves=6)


def _joined(inner: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
    parts = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(st.builds(Not, inner), st.builds(AllOf, parts), st.builds(AnyOf, parts))
