"""Floors under the answers: the labelled questions and claims, through `/chat` as a user has it."""

import os

# Otherwise a part of them: each costs half a second of CPU time.
ALL = os.environ.get("SOURCEBOOK_LONG") == "1"
TIMEOUT_S = 3_600
