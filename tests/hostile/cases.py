"""One hostile input in one place of one command: how it is laid out, run and judged."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from hostile.command_lines import LINES, Line, lines_of
from hostile.corpus import (  # noqa: F401 (each fills the corpus)
    corpora,
    declarations,
    descriptions,
    model_folders,
    outputs,
    places,
    pretrained,
    records,
    services,
    skops_files,
    statements,
    tables,
    workbooks,
)
from hostile.corpus.registry import CORPUS, Hostile
from hostile.judgement import misdeeds
from hostile.ordinary import PROVIDED, provide
from hostile.sandbox import BUSY, SECONDS, Observation, Sandbox
from hostile.site import Site


@dataclass(frozen=True)
class Case:
    """A place and what stands in it."""

    line: Line
    hostile: Hostile

    @property
    def name(self) -> str:
        return f"{self.line.name}: {self.hostile.name}"

    def lay_out(self, site: Site) -> list[str]:
        """Write everything that the command needs; what stands on its command line."""
        provide(site, *self.line.inputs)
        given = self.hostile.build(site)
        if self.line.kind == "output file":
            outputs.lay_file(given, self.line.outputs[0], site)
        return self.line.arguments(given)

    def run(self, sandbox: Sandbox) -> tuple[Observation, list[str]]:
        """What was seen, and what was wrong about it; where nothing was, nothing is left of the site."""
        site = sandbox.site()
        imports = (*self.line.imports, *self.hostile.imports)
        seen = sandbox.run(site, self.lay_out(site), imports=imports, seconds=_seconds(self.line))
        wrong = misdeeds(seen, outputs=self.line.outputs, codes=self.hostile.codes, reads=self.hostile.reads)
        if not wrong:
            shutil.rmtree(site.root)
        return seen, wrong


def _seconds(line: Line) -> float:
    """That a command may take; one that takes seconds anyway, where nothing is hostile, gets as long again."""
    return SECONDS * BUSY * (2 if line.long else 1)


def run_ordinary(line: Line, sandbox: Sandbox) -> tuple[Observation, list[str]]:
    """The same with nothing hostile: it succeeds, and does no harm either."""
    site = sandbox.site()
    provide(site, *line.inputs, *([line.usual] if line.usual in PROVIDED else []))
    seen = sandbox.run(site, line.arguments(line.usual), imports=line.imports, seconds=_seconds(line))
    return seen, misdeeds(seen, outputs=line.outputs, codes=(0,))


def case(line: str, hostile: str) -> Case:
    """The case of these names."""
    (found,) = (one for one in LINES if one.name == line)
    assert found.kind in CORPUS[hostile].kinds, (line, hostile)
    return Case(found, CORPUS[hostile])


WHEREVER = {
    "declaration",
    "encoder",
    "model list",
    "output file",
    "service",
    "sheet",
    "spellings",
}  # few places, or quick
EVERY = 5


def cases(*kinds: str) -> Iterator[Case]:
    """Every hostile input where its kind is taken first, and by turns in the other places, a fifth of them in each."""
    for kind in kinds:
        inputs = [one for one in CORPUS.values() if kind in one.kinds]
        for turn, line in enumerate(sorted(lines_of(kind), key=lambda line: line.long)):
            chosen = inputs if turn == 0 or kind in WHEREVER else inputs[turn % EVERY :: EVERY]
            yield from (Case(line, one) for one in chosen if one.refused or not line.refusing)
