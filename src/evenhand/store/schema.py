"""The tables of the store. Events are the truth; other tables are derived from them, or hold what may be erased.

Events, sealed: `events`. Derived from them: `items`, `tasks`, `seen`, `notices`, `policies`, `people`, and the tables
of studies. What may be erased without breaking the chain: `contents` (texts, notes, reasons, keys of authors and
reporters, texts of suggestions, each with its salt). Neither: `requests` (answers to idempotency keys), `about` (the
identity of the store), who signs in at the desk (`credentials`, `second_factors`, `invitations`, `sessions`,
`sign_in_attempts`), and where decisions are sent (`webhooks`, `deliveries`).
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

metadata = MetaData()
ID, NAME = String(40), String(200)
EventNumber = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only if it is called so

about = Table("about", metadata, Column("name", NAME, primary_key=True), Column("value", Text, nullable=False))

events = Table(
    "events",
    metadata,
    Column("id", EventNumber, primary_key=True, autoincrement=True),
    Column("stream", NAME, nullable=False),  # what it is about: an item, or `policy`, `people`, `store`, `suggestions`
    Column("version", Integer, nullable=False),  # 1, 2, 3, … within the stream
    Column("at", BigInteger, nullable=False),  # microseconds since 1970, UTC
    Column("kind", String(40), nullable=False),
    Column("actor", NAME, nullable=False),
    Column("payload", Text, nullable=False),  # canonical JSON
    Column("number", BigInteger, unique=True),  # 1, 2, 3, … once sealed
    Column("chain", LargeBinary(32)),
    UniqueConstraint("stream", "version", name="one_event_per_version"),
    Index("events_unsealed", "id", sqlite_where=text("number IS NULL"), postgresql_where=text("number IS NULL")),
    sqlite_autoincrement=True,
)

items = Table(
    "items",
    metadata,
    Column("id", ID, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("external_id", String(512), nullable=False, unique=True),
    Column("item_type", NAME, nullable=False),
    Column("edits", Integer, nullable=False),
    Column("text", ID),
    Column("author", ID),
    Column("language", NAME),
    Column("community", NAME),
    Column("thread", String(512)),
    Column("created_at", BigInteger),
    Column("received_at", BigInteger, nullable=False),
    Column("attributes", Text, nullable=False),
    Column("score", Double),
    Column("uncertainty", Double),
    Column("model", NAME),
    Column("model_version", NAME),
    Column("policy", Integer),
    Column("route", String(20)),
    Column("route_reason", NAME),
    Column("probability", Double),
    Column("drawn", Boolean, nullable=False),
    Column("draw_order", Double),
    Column("panel", Boolean, nullable=False),
    Column("reached", Boolean, nullable=False),
    Column("notices", Integer, nullable=False),
    Column("action", NAME),
    Column("verdict", String(20)),
    Column("basis", String(20)),
    Column("decided_by", NAME),
    Column("decided_at", BigInteger),
    Column("decision", Integer),
    Column("measured_verdict", String(20)),
    Column("panel_verdict", String(20)),
    Column("appeal", String(20)),
    Column("gold", String(20)),
    Column("held", Boolean, nullable=False),
    Column("reporters", Integer, nullable=False, server_default=text("0")),
    Column("trusted_notice", Boolean, nullable=False, server_default=false()),
    Column("account_action", NAME),
    Index("items_by_author", "author", "received_at"),
    Index("items_by_thread", "thread", "received_at"),
    Index("items_by_arrival", "received_at"),
)

WAITING = text("state = 'waiting'")
CLAIMED = text("state = 'claimed'")
tasks = Table(
    "tasks",
    metadata,
    Column("id", ID, primary_key=True),
    Column("item", ID, nullable=False),
    Column("version", Integer, nullable=False),
    Column("purpose", String(20), nullable=False),
    Column("queue", NAME, nullable=False),
    Column("first_key", Double, nullable=False),
    Column("second_key", Double, nullable=False),
    Column("opened_at", BigInteger, nullable=False),
    Column("state", String(20), nullable=False),
    Column("virtual", Boolean, nullable=False),
    Column("holder", NAME),
    Column("lease_until", BigInteger),
    Column("skips", Integer, nullable=False),
    Column("person", NAME),
    Column("verdict", String(20)),
    Column("done_at", BigInteger),
    Index("tasks_of_item", "item"),
    *(
        Index(
            f"tasks_waiting_{key}",
            *("queue", "purpose", text(f"{key} DESC"), "opened_at", "id"),
            sqlite_where=WAITING,
            postgresql_where=WAITING,
        )
        for key in ("first_key", "second_key")
    ),
    Index("tasks_leased", "lease_until", sqlite_where=CLAIMED, postgresql_where=CLAIMED),
    Index("tasks_held", "holder", sqlite_where=CLAIMED, postgresql_where=CLAIMED),
)

seen = Table(
    "seen",
    metadata,
    Column("item", ID, primary_key=True),
    Column("person", NAME, primary_key=True),
    Column("task", ID, nullable=False),
    Column("final", Boolean, nullable=False),  # judged, skipped or escalated: not merely given back
)

notices = Table(
    "notices",
    metadata,
    Column("item", ID, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("reporter", ID),
    Column("reason", Text, nullable=False),  # the id of its content; of earlier versions, the reason itself
    Column("clause", NAME),
    Column("trusted", Boolean, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("notices_by_reporter", "reporter"),
)

contents = Table(
    "contents",
    metadata,
    Column("id", ID, primary_key=True),
    Column("item", ID),
    Column("kind", String(20), nullable=False),  # text, note, reason, author, reporter, suggestion
    Column("value", Text),
    Column("salt", LargeBinary(16)),
    Column("at", BigInteger, nullable=False),
    Index("contents_of_item", "item"),
    Index("contents_by_age", "kind", "at"),
    Index("contents_by_key", "kind", "value", sqlite_where=text("item IS NULL"), postgresql_where=text("item IS NULL")),
)

policies = Table(
    "policies",
    metadata,
    Column("version", Integer, primary_key=True),
    Column("document", Text, nullable=False),
    Column("activated_at", BigInteger, nullable=False),
    Column("activated_by", NAME, nullable=False),
)

people = Table(
    "people",
    metadata,
    Column("id", NAME, primary_key=True),
    Column("role", String(20), nullable=False),
    Column("queues", Text, nullable=False),  # JSON; [] is all of them
    Column("active", Boolean, nullable=False),
)

requests = Table(
    "requests",
    metadata,
    Column("actor", NAME, primary_key=True),
    Column("key", NAME, primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("answer", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

# who signs in: neither derived from events nor evidence; only hashes of what people and links present
credentials = Table(
    "credentials",
    metadata,
    Column("person", NAME, primary_key=True),
    Column("password", Text, nullable=False),  # argon2id
    Column("changed_at", BigInteger, nullable=False),
)

second_factors = Table(
    "second_factors",
    metadata,
    Column("person", NAME, primary_key=True),
    Column("secret", String(64), nullable=False),  # base32; a server must know it to check codes
    Column("confirmed_at", BigInteger),  # none: shown, and no code of it entered yet
    Column("last_step", BigInteger, nullable=False),  # of the last code that was taken: each is taken once
    Column("recovery", Text, nullable=False),  # JSON: SHA-256 of the codes that are left
)

invitations = Table(
    "invitations",
    metadata,
    Column("token", String(64), primary_key=True),  # SHA-256
    Column("person", NAME),  # none: the first administrator, who chooses a name
    Column("expires_at", BigInteger, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("token", String(64), primary_key=True),  # SHA-256
    Column("person", NAME, nullable=False),
    Column("began_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Index("sessions_of_person", "person"),
)

sign_in_attempts = Table(
    "sign_in_attempts",
    metadata,
    Column("id", ID, primary_key=True),
    Column("subject", String(64), primary_key=True),  # SHA-256 of a person, an address, or both
    Column("at", BigInteger, nullable=False),
    Index("sign_in_attempts_by_subject", "subject", "at"),
)

# to whom decisions are sent: an address, how far they know them, and what became of each delivery
webhooks = Table(
    "webhooks",
    metadata,
    Column("id", ID, primary_key=True),
    Column("url", Text, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("known", BigInteger, nullable=False),  # the number of the last event that was delivered
    Column("failures", Integer, nullable=False),  # in a row
    Column("due_at", BigInteger, nullable=False),  # not before; also while somebody delivers
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", ID, primary_key=True),
    Column("webhook", ID, nullable=False),
    Column("after", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("decisions", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("state", String(20), nullable=False),  # delivered or dead
    Column("problem", NAME),
    Column("at", BigInteger, nullable=False),
    Index("deliveries_of_webhook", "webhook", "at"),
)

# labelling studies, derived from the events of their own streams
studies = Table(
    "studies",
    metadata,
    Column("id", ID, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("title", NAME, nullable=False),
    Column("state", String(20), nullable=False),  # open or stopped
    Column("codebook", Text, nullable=False),
    Column("plan", Text, nullable=False),  # the sealed file, without batches
    Column("per_item", Integer, nullable=False),
    Column("annotators", Text, nullable=False),  # JSON
    Column("adjudicators", Text, nullable=False),  # JSON
    Column("batches", Integer, nullable=False),
    Column("opened_at", BigInteger, nullable=False),
    Column("opened_by", NAME, nullable=False),
    Column("stopped_at", BigInteger),
    Column("stopped_by", NAME),
    Column("stop_reason", Text),
    Column("target_reached", Boolean),
)

study_batches = Table(
    "study_batches",
    metadata,
    Column("study", ID, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("draws", Text, nullable=False),  # as in the file of a plan
    Column("items", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Column("drawn_at", BigInteger, nullable=False),
)

study_items = Table(
    "study_items",
    metadata,
    Column("study", ID, primary_key=True),
    Column("id", String(512), primary_key=True),  # in the plan: the platform's id
    Column("item", ID, nullable=False),
    Column("text", ID),  # the one that is labelled, whatever edits come later
    Column("batch", Integer, nullable=False),
    Column("state", String(20), nullable=False),  # open, split or done
    Column("label", String(20)),
)

study_tasks = Table(
    "study_tasks",
    metadata,
    Column("id", ID, primary_key=True),
    Column("study", ID, nullable=False),
    Column("subject", String(512), nullable=False),  # the item, by its id in the plan
    Column("person", NAME, nullable=False),
    Column("batch", Integer, nullable=False),
    Column("place", Double, nullable=False),  # in the random order of the person
    Column("purpose", String(20), nullable=False),  # label or adjudicate
    Column("version", Integer, nullable=False),
    Column("state", String(20), nullable=False),  # waiting, done or withdrawn
    Column("answer", String(20)),
    Column("note", ID),
    Column("at", BigInteger),
    Column("lead_time", Double),
    Index("study_tasks_of_person", "person", "study", "state", "batch", "place"),
    Index("study_tasks_of_item", "study", "subject"),
)

STUDIES = (studies, study_batches, study_items, study_tasks)
DERIVED = (items, tasks, seen, notices, policies, people, *STUDIES)
