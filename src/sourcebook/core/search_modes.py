"""Search modes: what a search goes by, and in which language words are read."""

from typing import Literal, TypeAlias, get_args

# By meaning, by words, or by both.
SearchMode: TypeAlias = Literal["dense", "keyword", "hybrid"]
SEARCH_MODES: tuple[SearchMode, ...] = get_args(SearchMode)
DEFAULT_LANGUAGE = "english"
