"""Texts and keys of people can go, and leave nothing that a guess could be tested against; a hold keeps them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.store import ConflictError, NewItem
from evenhand.store import events as ev
from evenhand.store.erasure import COMPLAINT_DAYS, erase_by_age
from evenhand.store.exporting import export
from evenhand.store.reasons import notice_reasons
from evenhand.store.schema import contents
from store.desks import Desk, check, sqlite_desk

SECRET = "a sentence that nobody else wrote 8417"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = sqlite_desk(tmp_path)
    items = [NewItem(f"s{number}", f"{SECRET} {number}", author="mail@example.org") for number in range(3)]
    made.do("receive", "io", items=items)
    return made


def ids(desk: Desk) -> list[str]:
    return [
        one["item"]
        for one in desk.do("receive", "io", items=[NewItem(f"s{n}", f"{SECRET} {n}") for n in range(3)])["items"]
    ]


def left(desk: Desk) -> int:
    with desk.store.database.reading() as connection:
        return int(connection.scalar(sa.select(sa.func.count()).where(contents.c.salt.is_not(None))) or 0)


def bytes_of(desk: Desk) -> bytes:
    """All that is on the disk, once the log is written back."""
    with desk.store.database.engine.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return Path(str(desk.store.database.file)).read_bytes()


def test_nothing_is_left_of_an_erased_text(desk: Desk) -> None:
    assert SECRET.encode() in bytes_of(desk)
    assert desk.do("erase_person", "lee", author="mail@example.org", reason="request")["items"] == 3
    check(desk.store)
    assert SECRET.encode() not in bytes_of(desk)
    assert b"mail@example.org" not in bytes_of(desk)
    with pytest.raises(InputError, match="no author"):
        desk.do("erase_person", "lee", author="mail@example.org", reason="again")


def test_an_erased_text_is_not_taken_for_an_edit(desk: Desk) -> None:
    item = ids(desk)[0]
    desk.do("erase_item", "lee", item=item, reason="request")
    assert [one["outcome"] for one in desk.do("receive", "io", items=[NewItem("s0", "other")])["items"]] == ["known"]


def test_a_hold_keeps_everything_until_it_is_lifted(desk: Desk) -> None:
    item = ids(desk)[0]
    desk.do("hold", "lee", item=item, held=True, reason="court order")
    with pytest.raises(ConflictError, match="legal hold"):
        desk.do("erase_item", "lee", item=item, reason="request")
    answer = desk.do("erase_person", "lee", author="mail@example.org", reason="request")
    assert (answer["held"], answer["items"]) == (1, 2)
    desk.clock.pass_seconds(86_400 * 400)
    with desk.store.write() as ledger:
        assert erase_by_age(ledger, 200) == 2  # why the two others were erased
    with desk.store.write() as ledger:
        assert erase_by_age(ledger, 200) == 0
    desk.do("hold", "lee", item=item, held=False, reason="closed")
    assert desk.do("erase_item", "lee", item=item, reason="request")["erased"] == 3  # the text, and why it was held
    check(desk.store)


def test_retention_by_age_respects_the_complaint_window(desk: Desk) -> None:
    desk.clock.pass_seconds(86_400 * (COMPLAINT_DAYS + 1))
    desk.receive(0.5)
    before = left(desk)
    with desk.store.write() as ledger:
        with pytest.raises(InputError, match="period for complaints"):
            erase_by_age(ledger, 30)
        assert erase_by_age(ledger, COMPLAINT_DAYS) == 4  # three texts, and the key of their author
    assert left(desk) == before - 4
    with desk.store.write() as ledger:
        assert erase_by_age(ledger, 0, below_complaint_window=True) == 1
    check(desk.store)


def test_keys_of_people_go_with_the_last_that_is_known_of_them(desk: Desk) -> None:
    """An author who is still there, a reporter who reported lately, and one whose item is on hold keep their keys."""
    held, reported, _ = ids(desk)
    desk.do("notice", "io", item=held, reason="spam", reporter="of the held one")
    desk.do("notice", "io", item=reported, reason="spam", reporter="long gone")
    desk.do("hold", "lee", item=held, held=True, reason="court order")
    desk.clock.pass_seconds(86_400 * 200)
    desk.do("notice", "io", item=reported, reason="spam", reporter="of today")
    with desk.store.write() as ledger:
        erase_by_age(ledger, COMPLAINT_DAYS)
    assert b"long gone" not in bytes_of(desk)
    for kept in (b"of the held one", b"of today", b"mail@example.org"):
        assert kept in bytes_of(desk)
    desk.do("hold", "lee", item=held, held=False, reason="closed")
    with desk.store.write() as ledger:
        erase_by_age(ledger, COMPLAINT_DAYS)
    assert b"mail@example.org" not in bytes_of(desk)
    check(desk.store)


OWN_WORDS = "my name is Jane Doe 5512"


def say(desk: Desk, item: str) -> None:
    """Everything that takes a reason or a note, in somebody's own words."""
    desk.do("notice", "io", item=item, reason=f"notice {OWN_WORDS}", note=f"note {OWN_WORDS}", reporter="reporter 7")
    desk.do("hold", "lee", item=item, held=True, reason=f"hold {OWN_WORDS}")
    desk.do("hold", "lee", item=item, held=False, reason=f"lift {OWN_WORDS}")
    desk.do("read_text", "lee", item=item, reason=f"read {OWN_WORDS}")
    for person, action in (("ana", "skip"), ("bo", "escalate")):
        view = desk.do("claim_item", person, item=item)
        desk.do(action, person, task=view["task"], version=view["version"], reason=f"{action} {OWN_WORDS}")
    view = desk.do("claim_item", "cy", item=item)
    desk.do("decide", "cy", task=view["task"], version=view["version"], verdict="violating", note=f"why {OWN_WORDS}")
    desk.do("reverse", "lee", item=item, reason=f"reverse {OWN_WORDS}", verdict="benign")
    desk.do("appeal", "io", item=item, reason=f"appeal {OWN_WORDS}", note=f"please {OWN_WORDS}")


def test_nothing_that_people_wrote_is_left_of_an_erased_item(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, measured=0.0001, reserved=0.0, second=0.0)
    (item,) = desk.receive(0.5)
    say(desk, item)
    assert bytes_of(desk).count(OWN_WORDS.encode()) >= 11
    desk.do("erase_item", "lee", item=item, reason=f"erase {OWN_WORDS}")
    check(desk.store)
    left = [value for value in contents_of(desk) if OWN_WORDS in value]
    assert left == [f"erase {OWN_WORDS}"]  # why it was erased, until the next time
    desk.clock.pass_seconds(86_400 * 200)
    with desk.store.write() as ledger:
        assert erase_by_age(ledger, COMPLAINT_DAYS) == 2  # that, and the key of the reporter
    check(desk.store)
    assert OWN_WORDS.encode() not in bytes_of(desk)


def contents_of(desk: Desk) -> list[str]:
    with desk.store.database.reading() as connection:
        return [value for value in connection.scalars(sa.select(contents.c.value)) if value is not None]


def test_a_reporter_takes_their_words_along(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, measured=0.0001, reserved=0.0, second=0.0)
    item, held = desk.receive(0.5, 0.6)
    for number, reporter in enumerate(("gone", "stays")):
        desk.do("notice", "io", item=item, reason=f"reason {number}", note=f"note {number}", reporter=reporter)
    desk.do("notice", "io", item=held, reason="reason 2", reporter="gone")
    desk.do("hold", "lee", item=held, held=True, reason="court order")
    assert desk.do("erase_person", "lee", author="gone", reason="request")["erased"] == 2
    assert {"reason 1", "note 1", "text 0 0.5", "stays", "reason 2", "gone"} <= set(contents_of(desk))
    assert not {"reason 0", "note 0"} & set(contents_of(desk))
    desk.do("hold", "lee", item=held, held=False, reason="closed")
    desk.do("erase_person", "lee", author="gone", reason="request")
    assert not {"reason 2", "gone"} & set(contents_of(desk))
    with desk.store.database.reading() as connection:
        assert notice_reasons(connection, item) == ["reason 1"]
    check(desk.store)


def test_a_ledger_with_reasons_in_its_payloads_still_verifies(desk: Desk) -> None:
    """As earlier versions wrote them: read, exported, shown and rebuilt as they stand."""
    item = ids(desk)[0]
    with desk.store.write("io") as ledger:
        ledger.record(ledger.case(item), ev.Noticed(reason="as it was written"))
    desk.do("notice", "io", item=item, reason="apart")
    check(desk.store)
    with desk.store.database.reading() as connection:
        assert notice_reasons(connection, item) == ["as it was written", "apart"]
    payloads = [event.payload() for event in desk.history(item) if isinstance(event, ev.Noticed)]
    assert '"reason":"as it was written"' in payloads[0]
    assert "apart" not in payloads[1]
    export(desk.store, Path(desk.store.name).parent / "out", file_format="csv")
    rows = pl.read_csv(Path(desk.store.name).parent / "out" / "notices.csv")
    assert rows["reason"].to_list() == ["as it was written", "apart"]
    export(desk.store, Path(desk.store.name).parent / "bare", file_format="csv", texts=False)
    bare = (Path(desk.store.name).parent / "bare" / "notices.csv").read_text()
    assert "as it was written" not in bare
    assert "apart" not in bare


def test_reading_a_text_is_recorded(desk: Desk) -> None:
    item = ids(desk)[1]
    assert desk.do("read_text", "lee", item=item, reason="press")["text"] == f"{SECRET} 1"
    assert desk.history(item)[-1].kind == "read"
