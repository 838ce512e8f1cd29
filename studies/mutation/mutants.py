"""Small wrong changes to a source file: the mutants.

The changes are mutmut's (its table of operators). The walk is ours, because mutmut leaves out decorated functions, and
much of what is counted here are properties of dataclasses, and code outside of functions. Left alone: annotations and
other type-only code, docstrings, decorators, `__all__`, and the arguments of `len` and `isinstance`, as in mutmut.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

ALONE = {"len", "isinstance", "cast", "TypeVar", "NewType"}
Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


@dataclass(frozen=True, eq=False)
class Source:
    """A file that can be imported."""

    folder: Path
    name: str

    @cached_property
    def tree(self) -> MetadataWrapper:
        return MetadataWrapper(cst.parse_module((self.folder / self.name).read_text()))

    @cached_property
    def mutants(self) -> list[Mutant]:
        """All of them, in the order of the file."""
        walk = Walk(self)
        self.tree.visit(walk)
        return walk.found

    @property
    def module(self) -> str:
        return self.name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@dataclass(frozen=True, eq=False)
class Mutant:
    """One change: `old` becomes `new` within the given lines of a function."""

    source: Source
    function: str
    body: str  # the outermost function whose body is changed, or none
    first: int
    last: int
    old: cst.CSTNode
    new: cst.CSTNode

    @cached_property
    def text(self) -> str:
        """The whole file with the change."""
        return self.source.tree.module.visit(Replacement(self.old, self.new)).code  # type: ignore[union-attr]

    @cached_property
    def change(self) -> str:
        """The change in one line."""
        before, after = self.source.tree.module.code.splitlines(), self.text.splitlines()
        lines = [line for line in difflib.ndiff(before, after) if line[:2] in ("- ", "+ ")]
        gone = " ".join(line[2:].strip() for line in lines if line[0] == "-")
        come = " ".join(line[2:].strip() for line in lines if line[0] == "+")
        return f"{gone} → {come}"

    @property
    def is_code(self) -> bool:
        """Whether it can be compiled."""
        try:
            compile(self.text, self.source.name, "exec")
        except SyntaxError:
            return False
        return True


class Walk(cst.CSTVisitor):
    """Finds the mutants of a file."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source, self.found = source, list[Mutant]()
        self.within = list[Statement]()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if is_left_alone(node) or (not self._names and is_alias(node)):
            return False
        if isinstance(node, Statement):
            self.within.append(node)
        for kind, operator in mutation_operators:
            if isinstance(node, kind) and self.within:
                self._keep(node, list(operator(node)))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if self.within and original_node is self.within[-1]:
            self.within.pop()

    def _keep(self, node: cst.CSTNode, changed: list[cst.CSTNode]) -> None:
        first, last = self._lines(self.within[-1])
        name, body = ".".join(self._names), self._body
        self.found += [Mutant(self.source, name, body, first, last, node, new) for new in changed]

    @property
    def _names(self) -> list[str]:
        return [each.name.value for each in self.within if isinstance(each, cst.FunctionDef | cst.ClassDef)]

    @property
    def _body(self) -> str:
        names = list[str]()
        for each in self.within[:-1]:
            if isinstance(each, cst.FunctionDef | cst.ClassDef):
                names.append(each.name.value)
            if isinstance(each, cst.FunctionDef):
                return ".".join(names)
        return ""

    def _lines(self, node: Statement) -> tuple[int, int]:
        """Of a simple statement all lines; of one with a body those of its head."""
        where = self.get_metadata(PositionProvider, node)
        if isinstance(node, cst.SimpleStatementLine | cst.Match):
            return where.start.line, where.end.line
        body = self.get_metadata(PositionProvider, node.body)
        return where.start.line, max(where.start.line, body.start.line - 1)


class Replacement(cst.CSTTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: cst.CSTNode, new: cst.CSTNode) -> None:
        super().__init__()
        self.old, self.new = old, new

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        return self.new if original_node is self.old else updated_node


def is_left_alone(node: cst.CSTNode) -> bool:
    """Annotations, decorators, `__all__`, `len(…)`, `isinstance(…)`, `cast(…)`."""
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value in ALONE
    if isinstance(node, cst.Assign):
        return isinstance(node.targets[0].target, cst.Name) and node.targets[0].target.value == "__all__"
    return isinstance(node, cst.Annotation | cst.Decorator)


def is_alias(node: cst.CSTNode) -> bool:
    """A name for a type: `Pair = tuple[float, float]`. Constants are written in capitals."""
    if not isinstance(node, cst.Assign) or not isinstance(node.targets[0].target, cst.Name):
        return False
    name = node.targets[0].target.value
    return name[0].isupper() and not name.isupper() and isinstance(node.value, cst.Subscript | cst.BinaryOperation)
