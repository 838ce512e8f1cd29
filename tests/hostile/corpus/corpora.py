"""Hostile folders of published data: every file that some paper looks for is a pipe, a device, a link or noise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from evenhand.reproduce.corpora import CORPORA
from hostile.corpus.places import PLACES
from hostile.corpus.registry import hostile, put
from hostile.site import Site

RUNS = ("test.parquet", "deployment.parquet")  # of the paper that takes runs of models
NAMES = (*{file.name for corpus in CORPORA.values() for layout in corpus.layouts for file in layout.files}, *RUNS)
CHOSEN = (
    "pipe",
    "folder_for_file",
    "endless_device",
    "system_file",
    "link_to_itself",
    "empty_file",
    "nul_bytes",
    "noise",
)


def _filled(make: Callable[[Path, Site], None]) -> Callable[[Site], str]:
    def build(site: Site) -> str:
        for name in NAMES:
            path = site.work / "data" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            make(path, site)
        return "data"

    return build


for _name in (*CHOSEN, "half_characters", "deep_brackets", "one_long_line"):
    put(f"data in {_name}", ("corpora",), _filled(PLACES[_name][1]), refused=True)


@hostile("corpora", refused=True)
def data_with_odd_names(site: Site) -> str:
    for name in ("\u202eelif.csv", "a\nb.csv", "in\udcff.csv", "*.csv", "[a].parquet"):
        site.write(f"data\u202e/{name}", "id,p\n")
    return "data\u202e"


@hostile("corpora", refused=True)
def data_elsewhere(site: Site) -> str:
    (site.work / "data").symlink_to("/etc")
    return "data"
