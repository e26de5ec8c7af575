"""Which webhook deliveries were taken already, so that a replay does nothing."""

from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import check_text
from sourcebook.providers.storage import schema
from sourcebook.providers.storage.inserting import insert_new

REMEMBERED_S = 30 * 86_400.0
MAX_ID_LENGTH = 128

_DELIVERY = schema.webhook_deliveries.c


async def take_delivery(connection: AsyncConnection, delivery_id: str, now_s: float) -> bool:
    """Take the delivery, for as long as the transaction holds; False if it was taken before."""
    if not 1 <= len(delivery_id) <= MAX_ID_LENGTH:
        raise InvalidInput(f"A delivery id must have 1 to {MAX_ID_LENGTH} characters")
    check_text(delivery_id, "delivery id")
    row = {"id": delivery_id, "received_at_s": now_s}
    if not await insert_new(connection, schema.webhook_deliveries, [row]):
        return False
    await connection.execute(
        delete(schema.webhook_deliveries).where(_DELIVERY.received_at_s < now_s - REMEMBERED_S)
    )
    return True
