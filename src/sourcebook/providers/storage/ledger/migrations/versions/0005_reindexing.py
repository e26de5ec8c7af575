"""Collections that change their model, and can go back."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Until now no collection had a generation before, and no job another model."""
    op.add_column("collections", sa.Column("previous", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("jobs", sa.Column("model", sa.Text(), nullable=True))
    op.add_column("jobs", sa.Column("back_to", sa.String(length=64), nullable=True))
    op.add_column("jobs", sa.Column("recall", sa.JSON(none_as_null=True), nullable=True))
