"""The contract of the VectorStore port, as tests that a store inherits by giving one fixture.

    class TestMyStore(VectorStoreContract):
        @pytest.fixture
        async def store(self) -> AsyncIterator[VectorStore]:
            async with MyStore(...) as store:
                yield store

The fixture gives a store without indexes. Tests run with pytest-asyncio in auto mode.
"""

from sourcebook.testing.filter_contract import FilterContract
from sourcebook.testing.index_contract import IndexContract, WriteContract
from sourcebook.testing.search_contract import ConcurrencyContract, SearchContract

__all__ = ["FilterContract", "VectorStoreContract"]


class VectorStoreContract(
    IndexContract, WriteContract, SearchContract, FilterContract, ConcurrencyContract
):
    """Everything that Sourcebook expects of a vector store."""
