"""What chunks say, as it was read in their whole documents."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Chunks of before are read when they are asked for."""
    op.add_column("chunks", sa.Column("statements", sa.LargeBinary()))
