"""Ports: the roles that providers play. Every call has a timeout of its own."""

from sourcebook.core.health import Checkable
from sourcebook.core.ports.converters import Certainty, Converter, FileConversion, FileFormat
from sourcebook.core.ports.ledger import (
    BookLedger,
    CollectionLedger,
    DocumentLedger,
    FeedbackLedger,
    GarbageLedger,
    JobLedger,
    Ledger,
    MirrorLedger,
    SelfTestLedger,
    VectorCache,
)
from sourcebook.core.ports.models import (
    Embedder,
    Judge,
    LanguageModel,
    Reader,
    Reranker,
    TermEncoder,
)
from sourcebook.core.ports.stores import (
    AdoptedCollection,
    ConversationStore,
    VectorStore,
)

__all__ = [
    "AdoptedCollection",
    "BookLedger",
    "Certainty",
    "Checkable",
    "CollectionLedger",
    "ConversationStore",
    "Converter",
    "DocumentLedger",
    "Embedder",
    "FeedbackLedger",
    "FileConversion",
    "FileFormat",
    "GarbageLedger",
    "JobLedger",
    "Judge",
    "LanguageModel",
    "Ledger",
    "MirrorLedger",
    "Reader",
    "Reranker",
    "SelfTestLedger",
    "TermEncoder",
    "VectorCache",
    "VectorStore",
]
