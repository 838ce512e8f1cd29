"""Labelling studies: their plans and batches, the items that were drawn, and the labels that people are asked for."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Four tables; nothing of what there was changes."""
    op.create_table(
        "studies",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("codebook", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("per_item", sa.Integer(), nullable=False),
        sa.Column("annotators", sa.Text(), nullable=False),
        sa.Column("adjudicators", sa.Text(), nullable=False),
        sa.Column("batches", sa.Integer(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("opened_by", sa.String(length=200), nullable=False),
        sa.Column("stopped_at", sa.BigInteger(), nullable=True),
        sa.Column("stopped_by", sa.String(length=200), nullable=True),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("target_reached", sa.Boolean(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "study_batches",
        sa.Column("study", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Text(), nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("drawn_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("study", "number"),
    )
    op.create_table(
        "study_items",
        sa.Column("study", sa.String(length=40), nullable=False),
        sa.Column("id", sa.String(length=512), nullable=False),
        sa.Column("item", sa.String(length=40), nullable=False),
        sa.Column("text", sa.String(length=40), nullable=True),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("label", sa.String(length=20), nullable=True),
        sa.PrimaryKeyConstraint("study", "id"),
    )
    op.create_table(
        "study_tasks",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("study", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=512), nullable=False),
        sa.Column("person", sa.String(length=200), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("place", sa.Double(), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("answer", sa.String(length=20), nullable=True),
        sa.Column("note", sa.String(length=40), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=True),
        sa.Column("lead_time", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "study_tasks_of_person", "study_tasks", ["person", "study", "state", "batch", "place"], unique=False
    )
    op.create_index("study_tasks_of_item", "study_tasks", ["study", "subject"], unique=False)
