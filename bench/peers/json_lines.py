"""The protocol of a peer: a JSON line in, a JSON line out, until the input ends."""

import json
import os
import sys
from collections.abc import Callable


def answer_lines(commands: dict[str, Callable[..., object]]) -> None:
    """Call the command that each line names in `do` with the line's other fields."""
    # Libraries print what they like; the replies keep a channel of their own.
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        request = json.loads(line)
        do = request.pop("do")
        reply = None if do == "nothing" else commands[do](**request)
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
