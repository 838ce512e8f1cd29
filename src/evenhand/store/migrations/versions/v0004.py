"""How many reported an item, and whether a trusted flagger did; measures against an account; second factors.

Notices of earlier versions do not say whether their reporter had reported the item before: each counts as one.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Three columns, filled from the notices that there are, and one table."""
    op.add_column("items", sa.Column("reporters", sa.Integer(), nullable=False, server_default=sa.text("0")))
    op.add_column("items", sa.Column("trusted_notice", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("items", sa.Column("account_action", sa.String(length=200), nullable=True))
    op.execute("UPDATE items SET reporters = notices WHERE notices > 0")
    trusted = "EXISTS (SELECT 1 FROM notices WHERE notices.item = items.id AND notices.trusted)"
    op.execute(f"UPDATE items SET trusted_notice = TRUE WHERE {trusted}")
    op.create_table(
        "second_factors",
        sa.Column("person", sa.String(length=200), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("confirmed_at", sa.BigInteger(), nullable=True),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("recovery", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("person"),
    )
