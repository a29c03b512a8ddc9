"""First-order mutants of a C source: each is the source with one change. tree-sitter says where; the kinds are those below.

A mutant is named by the function it is in, its kind, and the line before and after the change: edits elsewhere keep the name.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import tree_sitter_c
from tree_sitter import Language, Node, Parser

AT_MOST = 150  # of a source
SEED = "arch-kernels mutants 1"
KINDS = ("operator", "bound", "constant", "arguments", "statement", "type")

# What replaces an operator; each is the usual slip, or the neighbour that a typing error reaches.
OPERATORS = {
    "+": ("-",), "-": ("+",), "*": ("/", "+"), "/": ("*",), "%": ("/",),
    "&": ("|",), "|": ("&", "^"), "^": ("|",), "<<": (">>",), ">>": ("<<",), "&&": ("||",), "||": ("&&",),
    "+=": ("-=", "="), "-=": ("+=", "="), "*=": ("+=",), "/=": ("*=",), "%=": ("/=",),
    "&=": ("|=", "="), "|=": ("&=", "="), "^=": ("|=", "="), "<<=": (">>=",), ">>=": ("<<=",),
    "++": ("--",), "--": ("++",),
}  # fmt: skip
BOUNDS = {"<": ("<=", ">"), "<=": ("<", ">"), ">": (">=", "<"), ">=": (">", "<"), "==": ("!=", "<="), "!=": ("==", "<")}
DROPPED_UNARY = ("!", "~", "-")
NARROWER = {
    "size_t": ("uint32_t", "int"), "ptrdiff_t": ("int",), "uint64_t": ("uint32_t",), "int64_t": ("int32_t",),
    "uint32_t": ("uint16_t", "int32_t"), "int32_t": ("int16_t",), "uint16_t": ("uint8_t",), "uint8_t": ("int8_t",),
    "double": ("float",), "int": ("short",), "unsigned": ("unsigned short",), "long": ("int",),
    "unsigned long": ("unsigned",), "long long": ("int",), "unsigned long long": ("unsigned",),
}  # fmt: skip
STATEMENTS = (
    "expression_statement", "if_statement", "for_statement", "while_statement", "break_statement", "continue_statement",
    "return_statement", "goto_statement",
)  # fmt: skip
# The grammar does not know an attribute between an array's declarator and its semicolon.
_AFTER_ARRAY = re.compile(rb"(?<=\])\s*__attribute__\(\([^;]*\)\)(?=;)")


def _blank(match: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\n]", b" ", match.group())  # positions stay


@dataclass(frozen=True)
class Mutant:
    kind: str
    function: str  # "" outside of all functions
    start: int  # bytes of the source that are replaced
    end: int
    new: bytes
    line: int
    before: str  # the line with the change, without its indentation
    after: str

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.new + source[self.end :]

    @property
    def name(self) -> str:
        """What an entry of equivalent.toml says of it."""
        return f"{self.function or 'file'}: {self.kind}: {self.before} => {self.after}"


def all_mutants(source: bytes) -> list[Mutant]:
    """Every first-order mutant, in the order of the text. A source that cannot be parsed is an error."""
    tree = Parser(Language(tree_sitter_c.language())).parse(_AFTER_ARRAY.sub(_blank, source))
    found = {}
    for node, function in _nodes(tree.root_node, ""):
        if node.type == "ERROR" or node.is_missing:
            raise ValueError(f"line {node.start_point.row + 1}: tree-sitter cannot parse this")
        for kind, start, end, new in _changes(node, source):
            if source[start:end] != new:
                found.setdefault((start, end, new), _mutant(source, kind, function, start, end, new))
    return list(found.values())


def drawn(source: bytes, name: str, at_most: int = AT_MOST) -> list[Mutant]:
    """At most so many, the kinds in turn, so that each is there; `name` and the seed decide which."""
    lottery = random.Random(f"{SEED} {name}")
    heaps: list[list[Mutant]] = []
    everything = all_mutants(source)
    for kind in KINDS:
        heap = [mutant for mutant in everything if mutant.kind == kind]
        lottery.shuffle(heap)
        heaps.append(heap)
    chosen: list[Mutant] = []
    while any(heaps) and len(chosen) < at_most:
        chosen += [heap.pop() for heap in heaps if heap][: at_most - len(chosen)]
    return sorted(chosen, key=lambda mutant: (mutant.start, mutant.end, mutant.new))


def _nodes(node: Node, function: str) -> Iterator[tuple[Node, str]]:
    if node.type == "function_definition":
        function = _name_of(node)
    yield node, function
    for child in node.children:
        yield from _nodes(child, function)


def _name_of(definition: Node) -> str:
    node: Node | None = definition.child_by_field_name("declarator")
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator")
    return "" if node is None or node.text is None else node.text.decode()


def _mutant(source: bytes, kind: str, function: str, start: int, end: int, new: bytes) -> Mutant:
    first = source.rfind(b"\n", 0, start) + 1
    last = source.find(b"\n", end)
    last = len(source) if last < 0 else last
    before, after = source[first:last], source[first:start] + new + source[end:last]
    return Mutant(kind, function, start, end, new, source.count(b"\n", 0, start) + 1, _line(before), _line(after))


def _line(text: bytes) -> str:
    return " ".join(text.decode().split())


Change = tuple[str, int, int, bytes]


def _changes(node: Node, source: bytes) -> Iterator[Change]:
    operator = node.child_by_field_name("operator")
    if operator is not None:
        text = _text(operator)
        for new in OPERATORS.get(text, ()) if node.type != "unary_expression" and node.type != "pointer_expression" else ():
            yield "operator", operator.start_byte, operator.end_byte, new.encode()
        for new in BOUNDS.get(text, ()):
            yield "bound", operator.start_byte, operator.end_byte, new.encode()
        if node.type == "unary_expression" and text in DROPPED_UNARY:
            yield "operator", operator.start_byte, operator.end_byte, b""
    if node.type == "number_literal":
        for new in _by_one(_text(node)):
            yield "constant", node.start_byte, node.end_byte, new.encode()
    if node.type in ("argument_list", "initializer_list"):
        yield from _swapped(node.named_children, source)
    if node.type == "conditional_expression":
        arms = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
        yield from _swapped([arm for arm in arms if arm is not None], source)
    if node.type in STATEMENTS:
        yield "statement", node.start_byte, node.end_byte, b";"
    if node.type == "else_clause":
        yield "statement", node.start_byte, node.end_byte, b""
    if node.type in ("primitive_type", "type_identifier", "sized_type_specifier"):
        for new in NARROWER.get(" ".join(_text(node).split()), ()):
            yield "type", node.start_byte, node.end_byte, new.encode()


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _by_one(text: str) -> list[str]:
    digits = text.rstrip("uUlLfF") if not text.lower().startswith("0x") else text.rstrip("uUlL")
    suffix = text[len(digits) :]
    try:
        value = int(digits, 0)
    except ValueError:
        try:
            return [f"{float(digits) + by!r}{suffix}" for by in (1, -1)]
        except ValueError:
            return []  # a hexadecimal float: there is none in the kernels
    shape = "{:#x}" if digits.lower().startswith("0x") else "{}"
    return [shape.format(value + by) + suffix for by in (1, -1) if value + by >= 0 or not suffix]


def _swapped(parts: list[Node], source: bytes) -> Iterator[Change]:
    parts = [part for part in parts if part.type != "comment"]
    for one, other in pairwise(parts):
        first, between, second = (
            source[one.start_byte : one.end_byte],
            source[one.end_byte : other.start_byte],
            source[other.start_byte : other.end_byte],
        )
        yield "arguments", one.start_byte, other.end_byte, second + between + first
