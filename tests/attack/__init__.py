"""Hostile clients, models, files and servers: each of these once got through."""

import os

LONG = os.environ.get("SOURCEBOOK_LONG") == "1"
