"""How soon the next item is on the screen after a key, beside a bare HTTP echo in the same browser (20 s)."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import pytest
from benchmarks.load import running_service
from benchmarks.ours.review import running_echo
from benchmarks.waiting_desk import REVIEWER, fill_desk

from browser.windows import RunningDesk, open_window

pytestmark = pytest.mark.verify
WAITING, KEYS = 3000, 40
FRAMES = 3  # a key may take as long as so many echoes, each drawn
WATCH = """() => {
  window.shown = [];
  let begun = null;
  document.addEventListener("keydown", event => { begun = event.timeStamp; }, true);
  new MutationObserver(() => {
    if (begun === null) return;
    const from = begun;
    begun = null;
    requestAnimationFrame(() => window.shown.push(performance.now() - from));
  }).observe(document.getElementById("current"), { childList: true });
}"""
ECHO = """async ([times, size]) => {
  const seconds = [];
  for (let time = 0; time < times; time++) {
    const begun = performance.now();
    await (await fetch("/", { method: "POST", body: ".".repeat(size) })).text();
    await new Promise(requestAnimationFrame);
    seconds.push(performance.now() - begun);
  }
  return seconds;
}"""


def slowest(milliseconds: list[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(milliseconds, n=20)[-1]


def shown_after_keys(page: Any, running: RunningDesk) -> list[float]:
    """Milliseconds from each key until the next item is drawn."""
    running.enter(page, REVIEWER)
    page.goto(f"{running.url}/queue")
    page.evaluate(WATCH)
    for number in range(KEYS):
        page.locator("#next form").wait_for(state="attached")
        page.keyboard.press("rl"[number % 2])
        page.wait_for_function("number => window.shown.length > number", arg=number)
    page.locator("#next form").wait_for(state="attached")
    times: list[float] = page.evaluate("window.shown")
    assert len(times) == KEYS
    return times


def test_the_next_item_is_there_as_soon_as_an_echo_would_be(chromium: Any, tmp_path: Path) -> None:
    fill_desk(tmp_path / "desk.db", WAITING).close()
    with running_service("--store", str(tmp_path / "desk.db")) as service, running_echo() as echo:
        running, shown = RunningDesk(f"http://127.0.0.1:{service.port}"), list[float]()
        for page in open_window(chromium, running):
            shown = shown_after_keys(page, running)
        bare = chromium.new_page()
        bare.goto(f"http://127.0.0.1:{echo}/")
        echoes = bare.evaluate(ECHO, [KEYS, 12_000])
        bare.close()
    assert slowest(shown) <= FRAMES * slowest(echoes), (slowest(shown), slowest(echoes))
