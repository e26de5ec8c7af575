import pytest

from sourcebook.core.errors import EmbeddingFailed, Overloaded
from sourcebook.providers.inference.errors import foreign_errors_as


def test_a_foreign_error_becomes_ours_without_its_details() -> None:
    with (
        pytest.raises(EmbeddingFailed, match=r"^Embedding failed: ValueError$") as error,
        foreign_errors_as(EmbeddingFailed, "Embedding failed"),
    ):
        raise ValueError("/secret/path")
    assert isinstance(error.value.__cause__, ValueError)


def test_our_own_errors_pass() -> None:
    with pytest.raises(Overloaded), foreign_errors_as(EmbeddingFailed, "Embedding failed"):
        raise Overloaded("later")
