"""One-time codes against the vectors that RFC 6238 publishes."""

from __future__ import annotations

import base64

import pytest

from evenhand.desk.one_time_codes import STEP_SECONDS, code_at, enrolment_address, matching_step, new_secret

SECRET = base64.b32encode(b"12345678901234567890").decode()
VECTORS = {59: "94287082", 1111111109: "07081804", 1111111111: "14050471", 1234567890: "89005924",
           2000000000: "69279037", 20000000000: "65353130"}  # fmt: skip


@pytest.mark.parametrize(("seconds", "digits"), VECTORS.items())
def test_codes_are_those_of_the_standard(seconds: int, digits: str) -> None:
    assert code_at(SECRET, seconds // STEP_SECONDS) == digits[-6:]


def test_a_clock_may_be_one_step_off_and_not_two() -> None:
    step = 41152263
    for shift, expected in ((-2, None), (-1, step - 1), (0, step), (1, step + 1), (2, None)):
        assert matching_step(SECRET, code_at(SECRET, step + shift), step * STEP_SECONDS + 7) == expected
    assert matching_step(SECRET, "\ud800", 59) is None


def test_secrets_differ_and_an_address_names_the_person() -> None:
    assert len({new_secret() for _ in range(50)}) == 50
    address = enrolment_address(SECRET, "ann & bo/c")
    assert address.startswith(f"otpauth://totp/Evenhand%3Aann%20%26%20bo%2Fc?secret={SECRET}&issuer=Evenhand")
