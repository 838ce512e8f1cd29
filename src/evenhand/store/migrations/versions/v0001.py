"""The first version of the tables: events that can only be added, and the state derived from them.

Written out, so that later changes of `schema.py` do not change what this migration makes.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

REFUSAL = "events are append-only"
FIELDS = ("id", "stream", "version", "at", "kind", "actor", "payload")
CHANGED = " OR ".join(f"NEW.{name} <> OLD.{name}" for name in FIELDS)
SEALED = "(OLD.number IS NOT NULL AND (NEW.number IS NULL OR NEW.number <> OLD.number OR NEW.chain <> OLD.chain))"
SQLITE_GUARDS = (
    f"CREATE TRIGGER events_unchanged BEFORE UPDATE ON events WHEN {CHANGED} OR {SEALED} "
    f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END",
    f"CREATE TRIGGER events_kept BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END",
)
POSTGRES_GUARDS = (
    "CREATE FUNCTION evenhand_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$",
    f"CREATE TRIGGER events_unchanged BEFORE UPDATE ON events FOR EACH ROW WHEN ({CHANGED} OR {SEALED}) "
    "EXECUTE FUNCTION evenhand_refuse()",
    "CREATE TRIGGER events_kept BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION evenhand_refuse()",
    "CREATE TRIGGER events_not_emptied BEFORE TRUNCATE ON events EXECUTE FUNCTION evenhand_refuse()",
)


def upgrade() -> None:
    """Tables, indexes and the guards of the events."""
    op.create_table(
        "about",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "contents",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("item", sa.String(length=40), nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("value", sa.Text(), nullable=True),
        sa.Column("salt", sa.LargeBinary(length=16), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("contents_by_age", "contents", ["kind", "at"], unique=False)
    op.create_index(
        "contents_by_key",
        "contents",
        ["kind", "value"],
        unique=False,
        sqlite_where=sa.text("item IS NULL"),
        postgresql_where=sa.text("item IS NULL"),
    )
    op.create_index("contents_of_item", "contents", ["item"], unique=False)
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("stream", sa.String(length=200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=True),
        sa.Column("chain", sa.LargeBinary(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("number"),
        sa.UniqueConstraint("stream", "version", name="one_event_per_version"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "events_unsealed",
        "events",
        ["id"],
        unique=False,
        sqlite_where=sa.text("number IS NULL"),
        postgresql_where=sa.text("number IS NULL"),
    )
    op.create_table(
        "items",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.String(length=512), nullable=False),
        sa.Column("item_type", sa.String(length=200), nullable=False),
        sa.Column("edits", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(length=40), nullable=True),
        sa.Column("author", sa.String(length=40), nullable=True),
        sa.Column("language", sa.String(length=200), nullable=True),
        sa.Column("community", sa.String(length=200), nullable=True),
        sa.Column("thread", sa.String(length=512), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=True),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("attributes", sa.Text(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("uncertainty", sa.Double(), nullable=True),
        sa.Column("model", sa.String(length=200), nullable=True),
        sa.Column("model_version", sa.String(length=200), nullable=True),
        sa.Column("policy", sa.Integer(), nullable=True),
        sa.Column("route", sa.String(length=20), nullable=True),
        sa.Column("route_reason", sa.String(length=200), nullable=True),
        sa.Column("probability", sa.Double(), nullable=True),
        sa.Column("drawn", sa.Boolean(), nullable=False),
        sa.Column("draw_order", sa.Double(), nullable=True),
        sa.Column("panel", sa.Boolean(), nullable=False),
        sa.Column("reached", sa.Boolean(), nullable=False),
        sa.Column("notices", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(length=200), nullable=True),
        sa.Column("verdict", sa.String(length=20), nullable=True),
        sa.Column("basis", sa.String(length=20), nullable=True),
        sa.Column("decided_by", sa.String(length=200), nullable=True),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        sa.Column("decision", sa.Integer(), nullable=True),
        sa.Column("measured_verdict", sa.String(length=20), nullable=True),
        sa.Column("panel_verdict", sa.String(length=20), nullable=True),
        sa.Column("appeal", sa.String(length=20), nullable=True),
        sa.Column("gold", sa.String(length=20), nullable=True),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("external_id"),
    )
    op.create_index("items_by_arrival", "items", ["received_at"], unique=False)
    op.create_index("items_by_author", "items", ["author", "received_at"], unique=False)
    op.create_index("items_by_thread", "items", ["thread", "received_at"], unique=False)
    op.create_table(
        "notices",
        sa.Column("item", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("reporter", sa.String(length=40), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("clause", sa.String(length=200), nullable=True),
        sa.Column("trusted", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("item", "version"),
    )
    op.create_index("notices_by_reporter", "notices", ["reporter"], unique=False)
    op.create_table(
        "people",
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("queues", sa.Text(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "policies",
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("activated_at", sa.BigInteger(), nullable=False),
        sa.Column("activated_by", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("version"),
    )
    op.create_table(
        "requests",
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("actor", "key"),
    )
    op.create_table(
        "seen",
        sa.Column("item", sa.String(length=40), nullable=False),
        sa.Column("person", sa.String(length=200), nullable=False),
        sa.Column("task", sa.String(length=40), nullable=False),
        sa.Column("final", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("item", "person"),
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("item", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("queue", sa.String(length=200), nullable=False),
        sa.Column("first_key", sa.Double(), nullable=False),
        sa.Column("second_key", sa.Double(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("virtual", sa.Boolean(), nullable=False),
        sa.Column("holder", sa.String(length=200), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("skips", sa.Integer(), nullable=False),
        sa.Column("person", sa.String(length=200), nullable=True),
        sa.Column("verdict", sa.String(length=20), nullable=True),
        sa.Column("done_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "tasks_held",
        "tasks",
        ["holder"],
        unique=False,
        sqlite_where=sa.text("state = 'claimed'"),
        postgresql_where=sa.text("state = 'claimed'"),
    )
    op.create_index(
        "tasks_leased",
        "tasks",
        ["lease_until"],
        unique=False,
        sqlite_where=sa.text("state = 'claimed'"),
        postgresql_where=sa.text("state = 'claimed'"),
    )
    op.create_index("tasks_of_item", "tasks", ["item"], unique=False)
    for key in ("first_key", "second_key"):
        op.create_index(
            f"tasks_waiting_{key}",
            "tasks",
            ["queue", "purpose", sa.text(f"{key} DESC"), "opened_at", "id"],
            unique=False,
            sqlite_where=sa.text("state = 'waiting'"),
            postgresql_where=sa.text("state = 'waiting'"),
        )
    for guard in SQLITE_GUARDS if op.get_bind().dialect.name == "sqlite" else POSTGRES_GUARDS:
        op.execute(guard)
