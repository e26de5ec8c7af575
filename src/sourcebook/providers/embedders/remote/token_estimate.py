"""Estimates the tokens of a model whose vocabulary is not here; rather too many than too few.

A word counts one token for each four letters that it begins, a number one for each three digits,
a word with other letters than ASCII one for each two, and every sign and every character of a
script without spaces counts one. English text has about a third fewer tokens than that. Text that
is no language (base64, hashes) may have more: a service that finds it too long says so, and then
it is cut smaller.
"""

import re

from sourcebook.core.documents import TokenSpans

# Part of every revision: raise it when the same text would be cut in another way.
ESTIMATE_VERSION = 1
# Thai to Lao, Burmese, Khmer, Chinese and Japanese, Korean, full-width forms, rare Chinese.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff00-\uffef\U00020000-\U0003ffff"
)
_TOKEN = re.compile(rf"[{_DENSE}]|[A-Za-z]{{1,4}}|[0-9]{{1,3}}|[^\W\x00-\x7f{_DENSE}]{{1,2}}|\S")


def token_spans(text: str) -> TokenSpans:
    """Return where the estimated tokens of a text begin and end; white space has none."""
    return [match.span() for match in _TOKEN.finditer(text)]
