"""Verifies the signature of a GitHub delivery, and parses the push in it."""

import hashlib
import hmac
import re
from dataclasses import dataclass
from urllib.parse import parse_qs

import orjson
from starlette.datastructures import Headers

from sourcebook.core.errors import InvalidInput
from sourcebook.core.text import shorten
from sourcebook.surfaces.request_errors import NotJson, Unauthorized
from sourcebook.surfaces.use_cases import WebhookRules

FORM = "application/x-www-form-urlencoded"
MAX_FORM_FIELDS = 10
USUAL_BRANCHES = frozenset({"main", "master"})

_SIGNATURE_HEADER = "x-hub-signature-256"
_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
_SIGNATURE_LENGTH = 71
_BRANCH = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Push:
    """A push to a branch or tag."""

    ref: str
    repository: str = ""
    default_branch: str | None = None
    deleted: bool = False

    def reason_to_ignore(self, rules: WebhookRules) -> str | None:
        """Return why it is ignored, if it is."""
        if rules.repository and self.repository.lower() != rules.repository.lower():
            return (
                f"The push is to {shorten(self.repository, 120)!r}, not to the book's repository"
                f" {rules.repository!r}; GITHUB_WEBHOOK_REPOSITORY can name another"
            )
        wanted = rules.branch or self.default_branch
        branches = {wanted} if wanted else USUAL_BRANCHES
        name = self.ref.removeprefix(_BRANCH)
        if name == self.ref or name not in branches:
            return f"{shorten(self.ref, 120)!r} is not {' or '.join(sorted(branches))}"
        return "The branch was deleted" if self.deleted else None


def given_signature(headers: Headers) -> str:
    """Return the signature header; Unauthorized unless there is one, in the right form."""
    given = headers.getlist(_SIGNATURE_HEADER)
    if len(given) > 1:
        raise Unauthorized(f"The delivery has {len(given)} X-Hub-Signature-256 headers, not one")
    if not given or not given[0].strip():
        raise Unauthorized(
            "The delivery is not signed: a header 'X-Hub-Signature-256: sha256=…' is needed"
        )
    if not _SIGNATURE.fullmatch(given[0]):
        # Not shown: it may be the secret itself, sent by mistake.
        raise Unauthorized(
            "The signature is malformed: X-Hub-Signature-256 must be 'sha256=' and 64 hexadecimal"
            f" digits in lower case, {_SIGNATURE_LENGTH} characters; this one has {len(given[0])}"
        )
    return given[0]


def check_signature(secret: bytes, signature: str, body: bytes) -> None:
    """Refuse a body that was not signed with the secret."""
    expected = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        raise Unauthorized("The signature does not fit the body; is the webhook's secret ours?")


def parse_push(content_type: str, body: bytes) -> Push:
    """Parse the body in one of the two content types that GitHub offers."""
    payload = _payload(content_type, body)
    try:
        push = orjson.loads(payload)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"The delivery is not valid JSON: {error.msg}") from None
    if not isinstance(push, dict) or not isinstance(push.get("ref"), str):
        raise InvalidInput("The delivery is no push: it must be an object with 'ref'")
    given = push.get("repository")
    repository = given if isinstance(given, dict) else {}
    name, default = repository.get("full_name"), repository.get("default_branch")
    return Push(
        ref=push["ref"],
        repository=name if isinstance(name, str) else "",
        default_branch=default if isinstance(default, str) else None,
        deleted=push.get("deleted") is True,
    )


def delivery_id(body: bytes) -> str:
    """Identify a delivery by its body, which is signed. GitHub's id is not: whoever sends a
    recorded delivery again can change it. The bodies of two pushes differ by their commits."""
    return f"body:{hashlib.sha256(body).hexdigest()}"


def _payload(content_type: str, body: bytes) -> bytes | str:
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/json":
        return body
    if kind != FORM:
        raise NotJson(f"A delivery is JSON or a form with 'payload', not {shorten(kind, 60)!r}")
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=MAX_FORM_FIELDS)
    except ValueError:
        fields = {}
    if len(fields.get("payload", ())) != 1:
        raise InvalidInput("The form must have one field 'payload'")
    return fields["payload"][0]
