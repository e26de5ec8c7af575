"""The errors that Sourcebook raises; surfaces translate them into their own dialects.

A message is for whoever runs the service. Readers are told `public_message`, which is the same
unless the class has words of its own for them.

SourcebookError
├── InvalidInput            the caller sent something that cannot be used
├── NotFound                what was named does not exist
├── Conflict                the thing exists, but not in a state that allows this
│   ├── AlreadyExists       the name is taken
│   └── ModelChanged        the collection changed its model under a writer (tried again inside)
├── Unavailable             try again later, or mend the configuration
│   ├── ModelNotLoaded      a collection or a request needs a model that is not here
│   ├── ProviderBroken      a registered provider cannot be imported (providers/registry)
│   ├── EmbeddingFailed     the embedder failed or gave unusable vectors
│   │   ├── RateLimited     the embedding service asks to wait
│   │   └── EmbeddingRefused  it never will: the key, the model or a setting must be mended
│   │       └── PoisonText  it refuses some texts, and takes all others
│   ├── RetrievalUnavailable  the ledger or the vector store cannot be reached
│   │   ├── RetrievalDelayed  they can, but this search or write has to come again
│   │   └── DiskFull        nothing can be written until somebody makes room
│   ├── SourceUnavailable   a book's files cannot be reached
│   ├── AgentUnavailable    the writer of answers failed
│   │   ├── AgentTimeout    it took too long; what it wrote before may be used
│   │   └── AgentRefused    its server is away, or refuses: the key, the model, the address
│   ├── ReplyCutOff         it was stopped before it was done; what it wrote may be used
│   ├── HistoryUnavailable  conversations cannot be read or kept (answers go on without)
│   └── Overloaded          too much work is waiting already
├── TooManyRequests         the caller asks more often than is allowed, or all slots are taken
├── BookUnreadable          one file of a book cannot be read
├── IndexMoved              the collection's index was swapped under a writer (handled inside)
├── LeaseLost               another worker goes on with the job (handled inside)
└── ConfigurationError      the service cannot start like this
"""

from collections.abc import Sequence
from typing import ClassVar

# What must be free on the disk of the data folder for anything to be written.
MIN_FREE_MIB = 256
MAX_LOGGED_LENGTH = 500


class SourcebookError(Exception):
    """Something went wrong, and the message says what to do about it."""

    code = "internal_error"
    # For errors whose messages name what only the operator knows: indexes, models, settings.
    reader_message: ClassVar[str | None] = None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @property
    def public_message(self) -> str:
        """What anybody may read of it."""
        return self.reader_message or self.message


class InvalidInput(SourcebookError):
    """The input cannot be used as it is."""

    code = "validation_error"


class NotFound(SourcebookError):
    """There is nothing of that name."""

    code = "not_found"


class Conflict(SourcebookError):
    """The current state does not allow this."""

    code = "conflict"


class AlreadyExists(Conflict):
    """Something of that name exists already."""

    code = "already_exists"


class ModelChanged(Conflict):
    """The collection changed its model between a write's preparation and its commit."""

    code = "model_changed"


class Unavailable(SourcebookError):
    """Something that the request needs is not available now."""

    code = "unavailable"


class ModelNotLoaded(Unavailable):
    """The model that is needed is not loaded."""

    code = "model_not_loaded"


class EmbeddingFailed(Unavailable):
    """The texts could not be embedded."""

    code = "embedding_failed"
    reader_message: ClassVar[str | None] = (
        "The embedding model is not available right now; try again in a moment"
    )


class RateLimited(EmbeddingFailed):
    """The embedding service takes no more for now; `retry_after_s` if it said how long."""

    code = "rate_limited"
    reader_message = "The embedding model takes no more requests right now; try again in a while"

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class EmbeddingRefused(EmbeddingFailed):
    """The service will not do it, however often it is asked."""

    reader_message: ClassVar[str | None] = (
        "The embedding model is not set up correctly; the service's log says why"
    )


class PoisonText(EmbeddingRefused):
    """Texts of a call were refused for what they are; `positions` says which, from 0."""

    reader_message = None

    def __init__(self, message: str, positions: Sequence[int]) -> None:
        super().__init__(message)
        self.positions = tuple(positions)


class RetrievalUnavailable(Unavailable):
    """The ledger or the vector store cannot be reached."""

    code = "retrieval_unavailable"
    reader_message: ClassVar[str | None] = (
        "The search index is not available right now; try again in a moment"
    )


class RetrievalDelayed(RetrievalUnavailable):
    """The search took too long, or the collection is being changed; the message says which."""

    reader_message = None


class DiskFull(RetrievalUnavailable):
    """The disk of the data folder takes no more; reading goes on."""

    reader_message = "Nothing can be saved right now, because the disk of the service is full"

    def __init__(self, min_free_mib: int = MIN_FREE_MIB) -> None:
        super().__init__(
            f"The disk of the data folder is full, or nearly: at least {min_free_mib} MiB must be"
            " free there. Once they are, writing goes on by itself"
        )


class SourceUnavailable(Unavailable):
    """The place where a book's files come from cannot be reached."""

    code = "source_unavailable"


class AgentUnavailable(Unavailable):
    """No answer could be written; `retry_after_s` if the language model said when to come again."""

    code = "agent_unavailable"

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class AgentTimeout(AgentUnavailable):
    """The answer was not complete in time."""


class AgentRefused(AgentUnavailable):
    """The model's server is away or refuses; what to mend is for the operator alone."""

    reader_message = "The language model is not available right now; try again in a moment"


class ReplyCutOff(Unavailable):
    """The language model was stopped before it was done, by its limit of tokens or by a filter.

    Nothing is wrong with the model, and it would stop there again.
    """

    code = "agent_unavailable"


class HistoryUnavailable(Unavailable):
    """The database of conversations cannot be reached."""

    code = "history_unavailable"


class Overloaded(Unavailable):
    """Too many requests are waiting already; try again in a moment."""

    code = "overloaded"


class TooManyRequests(SourcebookError):
    """Come again in `retry_after_s` seconds: then there is room."""

    code = "rate_limited"

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class BookUnreadable(SourcebookError):
    """One file of a book cannot be read; the others can."""

    code = "file_unreadable"


class IndexMoved(SourcebookError):
    """The collection's index was swapped between a write's preparation and its commit."""

    code = "index_moved"


class LeaseLost(SourcebookError):
    """The job was claimed by another worker, or ended, in the meantime."""

    code = "lease_lost"


class ConfigurationError(SourcebookError):
    """The service cannot start with this configuration."""

    code = "configuration_error"


def logged_reason(error: SourcebookError) -> dict[str, str]:
    """Return what the log says of an error that is no bug, in one line without a stack."""
    about = {"code": error.code, "reason": _first_line(error.message)}
    causes, cause = [], error.__cause__
    while cause is not None:
        causes.append(f"{type(cause).__name__}: {_first_line(str(cause))}")
        cause = cause.__cause__
    return about | ({"cause": "; ".join(causes)} if causes else {})


def _first_line(text: str) -> str:
    # The rest may repeat what was sent: a database's error shows the statement's values there.
    return text.strip().partition("\n")[0][:MAX_LOGGED_LENGTH]


def refuses_all(error: EmbeddingFailed) -> bool:
    """Return whether the service would refuse any text, so that single texts need not be tried."""
    return isinstance(error, EmbeddingRefused) and not isinstance(error, PoisonText)
