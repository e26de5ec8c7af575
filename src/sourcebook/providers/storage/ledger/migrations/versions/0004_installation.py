"""Who this installation is: what it stores in a shared server goes by this name."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """There is one row at most."""
    op.create_table(
        "installation",
        sa.Column("only", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("only", name=op.f("pk_installation")),
    )
