"""Webhooks: signed and in order, tried again, replayed, and never to an address inside."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from desk.desks import STAFF, TestDesk
from evenhand.desk import webhooks
from evenhand.desk.outgoing import DeliveryError, OutgoingRequests, check_url
from evenhand.desk.people import Role
from evenhand.desk.webhooks import MOST_ATTEMPTS, Deliverer
from evenhand.errors import InputError
from evenhand.store import schema, seal
from store.desks import check

PUBLIC = "93.184.216.34"
URL = "https://forum.example/hook?x=1"


@dataclass
class Receiver:
    """The platform: notes what it gets, and answers as told."""

    status: int = 204
    got: list[httpx.Request] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.got.append(request)
        if self.status == 0:
            raise httpx.ConnectError("secret reason")
        return httpx.Response(self.status, headers={"Location": "http://127.0.0.1/"})

    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.got]


@dataclass
class Sender:
    desk: TestDesk
    receiver: Receiver
    deliverer: Deliverer
    webhook: str
    secret: str

    def arrive(self, *names: str) -> None:
        items = [{"id": name, "text": "x" * 950} for name in names]
        headers = self.desk.as_token(STAFF[Role.SERVICE])
        answer = self.desk.client().post("/api/v1/items", json={"items": items}, headers=headers)
        assert answer.status_code == 200
        seal(self.desk.store)

    def asked(self, method: str, path: str, **more: Any) -> Any:
        headers = self.desk.as_token(STAFF[Role.ADMINISTRATOR])
        answer = self.desk.client().request(method, f"/api/v1/webhooks{path}", headers=headers, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def sender(fresh: TestDesk) -> Sender:
    receiver = Receiver()
    outgoing = OutgoingRequests(lookup=lambda *_: [PUBLIC], transport=httpx.MockTransport(receiver))
    fresh.app.state.outgoing = outgoing
    seal(fresh.store)
    headers = fresh.as_token(STAFF[Role.ADMINISTRATOR], **{"Idempotency-Key": "w"})
    answers = [fresh.client().post("/api/v1/webhooks", json={"url": URL}, headers=headers) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    made = answers[0].json()
    return Sender(fresh, receiver, Deliverer(fresh.store, outgoing), made["webhook"], made["secret"])


def test_decisions_are_sent_in_order_signed_and_once(sender: Sender) -> None:
    sender.arrive("a", "b")
    sender.arrive("c")
    assert sender.deliverer.deliver_due() == 1
    assert sender.deliverer.deliver_due() == 0
    (request,) = sender.receiver.got
    assert [one["id"] for one in json.loads(request.content)["decisions"]] == ["a", "b", "c"]
    assert str(request.url) == f"https://{PUBLIC}/hook?x=1"
    assert request.headers["host"] == "forum.example"
    assert request.extensions["sni_hostname"] == "forum.example"
    at, signed = (part.partition("=")[2] for part in request.headers["Evenhand-Signature"].split(","))
    expected = hmac.new(sender.secret.encode(), f"{at}.".encode() + request.content, hashlib.sha256).hexdigest()
    assert signed == expected
    (delivery,) = sender.asked("GET", f"/{sender.webhook}/deliveries")["deliveries"]
    assert (delivery["state"], delivery["decisions"], delivery["attempts"]) == ("delivered", 3, 1)
    check(sender.desk.store)


@pytest.mark.parametrize(("status", "problem"), [(500, "status 500"), (302, "status 302"), (0, "ConnectError")])
def test_a_failure_is_tried_again_later_and_blocks_what_comes_after(sender: Sender, status: int, problem: str) -> None:
    sender.receiver.status = status
    sender.arrive("a")
    for waited in (0, 11, 21):
        sender.desk.desk.clock.pass_seconds(waited)
        sender.deliverer.deliver_due()
        sender.deliverer.deliver_due()  # not due yet
    assert len(sender.receiver.got) == 3
    assert {request.url.host for request in sender.receiver.got} == {PUBLIC}
    (state,) = sender.asked("GET", "")["webhooks"]
    assert state["failures"] == 3
    sender.arrive("b")
    sender.receiver.status = 200
    sender.desk.desk.clock.pass_seconds(41)
    assert sender.deliverer.deliver_due() == 1
    assert [one["id"] for one in sender.receiver.bodies()[-1]["decisions"]] == ["a", "b"]


def test_what_never_arrives_is_a_dead_letter_and_can_be_replayed(sender: Sender) -> None:
    sender.receiver.status = 410
    sender.arrive("a")
    for _ in range(MOST_ATTEMPTS):
        sender.deliverer.deliver_due()
        sender.desk.desk.clock.pass_seconds(7 * 3600)
    assert len(sender.receiver.got) == MOST_ATTEMPTS
    (dead,) = sender.asked("GET", f"/{sender.webhook}/deliveries")["deliveries"]
    assert (dead["state"], dead["problem"], dead["attempts"]) == ("dead", "the answer had status 410", MOST_ATTEMPTS)
    sender.receiver.status = 200
    sender.arrive("b")
    sender.deliverer.deliver_due()
    assert [one["id"] for one in sender.receiver.bodies()[-1]["decisions"]] == ["b"]
    sender.asked("POST", f"/{sender.webhook}/replay", json={"after": dead["after"]})
    sender.deliverer.deliver_due()
    assert [one["id"] for one in sender.receiver.bodies()[-1]["decisions"]] == ["a", "b"]
    sender.asked("POST", f"/{sender.webhook}/end")
    sender.arrive("c")
    assert sender.deliverer.deliver_due() == 0
    with sender.desk.store.database.reading() as connection:
        kinds = sa.select(sa.func.count()).where(schema.events.c.kind == "webhook")
        assert connection.scalar(kinds) == 3  # set up, replayed, ended


def test_two_processes_do_not_deliver_the_same(sender: Sender) -> None:
    sender.arrive("a")
    row = sender.deliverer._take_turn(sender.webhook)
    assert sender.deliverer._take_turn(sender.webhook) is None
    sender.desk.desk.clock.pass_seconds(61)  # the first one died
    assert sender.deliverer._take_turn(sender.webhook).known == row.known


def test_the_database_does_not_have_the_secret(sender: Sender) -> None:
    with sender.desk.store.database.reading() as connection:
        for table in schema.metadata.sorted_tables:
            assert sender.secret not in str(connection.execute(sa.select(table)).all())
    assert webhooks.secret_of(sender.desk.store, sender.webhook) == sender.secret


PRIVATE = (
    *("127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),
    *("::1", "::", "fe80::1", "fd00::1", "::ffff:10.0.0.1", "2002:a00:1::1", "64:ff9b::a00:1", "255.255.255.255"),
    *("192.0.2.1", "198.18.0.1", "240.0.0.1", "ff02::1"),
)


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_inside_is_refused(address: str) -> None:
    for found in ([address], [PUBLIC, address]):
        with pytest.raises(InputError, match="private address"):
            OutgoingRequests(lookup=lambda *_, found=found: found).pinned(URL)


def test_a_name_that_moves_inside_is_not_followed(sender: Sender) -> None:
    """Between the check and the request nothing is looked up again; and before the next one it is refused."""
    looked_up = []

    def moving(host: str, _port: int) -> list[str]:
        looked_up.append(host)
        return [PUBLIC] if len(looked_up) == 1 else ["127.0.0.1"]

    outgoing = replace(sender.deliverer.outgoing, lookup=moving)
    outgoing.post(URL, b"{}", {})
    assert looked_up == ["forum.example"]
    with pytest.raises(DeliveryError, match="private address"):
        outgoing.post(URL, b"{}", {})
    assert len(sender.receiver.got) == 1


def test_private_networks_are_reached_only_where_they_are_named() -> None:
    inside = OutgoingRequests.from_networks(["10.1.0.0/16"])
    assert str(replace(inside, lookup=lambda *_: ["10.1.2.3"]).pinned("http://hook.local/a")[0]) == "http://10.1.2.3/a"
    with pytest.raises(InputError, match="private"):
        replace(inside, lookup=lambda *_: ["10.2.0.1"]).pinned("http://hook.local/")
    with pytest.raises(InputError, match="https"):
        replace(inside, lookup=lambda *_: [PUBLIC]).pinned("http://forum.example/")


BAD_URLS = [
    "",
    "ftp://x.example/",
    "https://",
    "https://u:p@x.example/",
    "https://x.example/#f",
    "https://x\n.example/",
]


@pytest.mark.parametrize(
    "url", [*BAD_URLS, "https://[::1", "javascript:alert(1)", "https://x.example:99999/", "x" * 3000]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="must be an address"):
        check_url(url)
