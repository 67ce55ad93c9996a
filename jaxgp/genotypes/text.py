"""Programs as text and back: S-expressions, on the host.

    (IF_<_DO_ELSE_ (ADD x0 -1.5) 3 (cell 4) 0)

A function stands in front of its arguments, a feature is its bare name, a constant is a bare number or a point [x,y],
and a terminal with a parameter is written (NAME number). Several trees are written (PROGRAM tree tree ...).

    (Plus:1.25 FriendlyPieceCount:0.9 3.4)

Where nodes have factors, one that is not 1 follows the name after a colon.
"""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from jaxgp.errors import show
from jaxgp.genotypes.primitives import Domain, Integers, Points, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs

PROGRAM = "PROGRAM"

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_POINT = re.compile(r"\[(-?\d{1,9}),(-?\d{1,9})\]")


class ProgramError(ValueError):
    """A text that is not a program; says where, and what was expected there."""


def print_tree(primitives: PrimitiveSet, tree: Programs) -> str:
    """Write one tree, [L]."""
    opcode, value = np.asarray(tree.opcode), np.asarray(tree.value)
    parts: list[str] = []
    size = np.asarray(tree.size)
    pending: list[int | str] = [int(tree.length) - 1]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        primitive = primitives.primitives[int(opcode[node])]
        if primitive.args:
            parts.append(f"({print_name(primitives, int(opcode[node]), float(value[node]))}")
            pending.append(")")
            child = node - 1
            for _ in primitive.args:  # from the last to the first: what is pushed last is written first
                pending += [child, " "]
                child -= int(size[child])
        else:
            parts.append(_print_terminal(primitives, int(opcode[node]), float(value[node])))
    return "".join(parts)


def print_program(primitives: PrimitiveSet, program: Programs) -> str:
    """Write one individual, [T, L]; a single tree is written bare."""
    trees = print_trees(primitives, program)
    return trees[0] if len(trees) == 1 else f"({PROGRAM} {' '.join(trees)})"


def print_trees(primitives: PrimitiveSet, program: Programs) -> list[str]:
    """Write each tree of one individual, [T, L]."""
    return [
        print_tree(primitives, Programs(program.opcode[t], program.value[t], program.size[t], program.length[t]))
        for t in range(np.asarray(program.length).shape[0])
    ]


def print_leaf(primitives: PrimitiveSet, program: Programs, node: int) -> str:
    """Write a terminal of an individual with one tree, [1, L]."""
    return _print_terminal(primitives, int(program.opcode[0, node]), float(program.value[0, node]))


def print_name(primitives: PrimitiveSet, code: int, value: float) -> str:
    """Write the name of a primitive, and its factor if that is not 1."""
    name = primitives.primitives[code].name
    return f"{name}:{print_number(value)}" if primitives.factors[code] and value != 1 else name


def print_number(value: float) -> str:
    """Write a float32 with the fewest digits that read back as the same float32; whole numbers without a point."""
    number = np.float32(value)
    if number == np.rint(number) and abs(number) < 1e7:
        return str(int(number)) if number or not np.signbit(number) else "-0"
    return np.format_float_positional(number, unique=True, trim="-") if 1e-4 <= abs(number) < 1e7 else str(number)


def print_constant(domain: Domain | None, value: float) -> str:
    """Write the value of a constant or a parameter: a number, or a point where the domain has points."""
    if isinstance(domain, Points):
        x, y = domain.point(value)
        return f"[{x},{y}]"
    return print_number(value)


def parse_program(primitives: PrimitiveSet, text: str, capacity: int) -> Programs:
    """Read one individual into NumPy arrays, [T, L].

    Args:
        primitives: the set that the names refer to.
        text: one S-expression.
        capacity: L.

    Raises:
        ProgramError: the text is not an individual of this set and size.
    """
    tokens = _Tokens(text)
    roots = [int(kind) for kind in primitives.root_type]
    if len(roots) == 1:
        trees = [_read_tree(primitives, tokens, roots[0], capacity)]
    else:
        for expected in ("(", PROGRAM):
            token = tokens.next(f"({PROGRAM} and {len(roots)} trees")
            if token.text != expected:
                raise tokens.error(token, f"expected ({PROGRAM} and {len(roots)} trees, found {token}")
        trees = [_read_tree(primitives, tokens, kind, capacity) for kind in roots]
        token = tokens.next(f") after {len(roots)} trees")
        if token.text != ")":
            raise tokens.error(token, f"expected ) after {len(roots)} trees, found {token}")
    tokens.finish()
    return arrays_of(trees, capacity)


@dataclass(frozen=True)
class _Token:
    text: str
    at: int

    def __str__(self) -> str:
        return show(self.text)


class _Tokens:
    """Parentheses and words of a text, with their places."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._words: Iterator[_Token] = (_Token(m[0], m.start()) for m in re.finditer(r"[()]|[^\s()]+", text))

    def error(self, token: _Token | None, message: str) -> ProgramError:
        at = len(self.text) if token is None else token.at
        line, column = self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)
        return ProgramError(f"line {line}, column {column}: {message}")

    def next(self, expected: str) -> _Token:
        token = next(self._words, None)
        if token is None:
            what = "the text is empty" if not self.text.strip() else "the text ends too early"
            raise self.error(None, f"{what}: expected {expected}")
        return token

    def finish(self) -> None:
        token = next(self._words, None)
        if token is not None:
            raise self.error(token, f"expected the end of the text, found {token}")


@dataclass
class _Open:
    """A function whose arguments are being read."""

    opcode: int
    primitive: Primitive
    factor: float  # 0 in a set without factors
    start: int  # nodes read before its first argument
    done: int = field(default=0)  # arguments read


def _read_tree(
    primitives: PrimitiveSet, tokens: _Tokens, root_type: int, capacity: int
) -> list[tuple[int, float, int]]:
    """Read one tree; return (opcode, value, size) of each node in postfix order."""
    nodes: list[tuple[int, float, int]] = []
    opened: list[_Open] = []
    while True:
        inside = opened[-1] if opened else None
        if inside and inside.done == inside.primitive.arity:
            token = tokens.next(f") after the {_arguments(inside.primitive)}")
            if token.text != ")":
                raise tokens.error(token, f"expected ) after the {_arguments(inside.primitive)}, found {token}")
            _add(nodes, (inside.opcode, inside.factor, len(nodes) - inside.start + 1), capacity, tokens, token)
            opened.pop()
        else:
            slot = int(primitives.arg_type[inside.opcode, inside.done]) if inside else root_type
            expected = f"a {primitives.types[slot]}"
            if inside:
                expected += f" as argument {inside.done + 1} of {_usage(inside.primitive)}"
            token = tokens.next(expected)
            if token.text == ")":
                raise tokens.error(token, f"expected {expected}, found )")
            if token.text == "(":
                code, factor = _head(primitives, tokens, slot, expected)
                if primitives.primitives[code].args:
                    opened.append(_Open(code, primitives.primitives[code], factor, len(nodes)))
                    continue
                node = (code, _parameter(primitives.primitives[code], tokens), 1)
            elif _NUMBER.fullmatch(token.text) or _POINT.fullmatch(token.text):
                node = (*_constant(primitives, tokens, token, slot, expected), 1)
            else:
                node = (*_named(primitives, tokens, token, slot, expected), 1)
            _add(nodes, node, capacity, tokens, token)
        if not opened:
            _check_effects(primitives, nodes, tokens, token)
            return nodes
        opened[-1].done += 1


def _add(
    nodes: list[tuple[int, float, int]], node: tuple[int, float, int], capacity: int, tokens: _Tokens, token: _Token
) -> None:
    if len(nodes) == capacity:
        raise tokens.error(token, f"more nodes than the capacity of {capacity}")
    nodes.append(node)


def _check_effects(
    primitives: PrimitiveSet, nodes: list[tuple[int, float, int]], tokens: _Tokens, token: _Token
) -> None:
    """Refuse a tree with more effects than it may have."""
    acting = [primitives.primitives[code].name for code, *_ in nodes if primitives.acts[code]]
    if len(acting) > primitives.effects:
        names = " or ".join(dict.fromkeys(acting))
        raise tokens.error(token, f"expected at most {primitives.effects} {names} in a tree, found {len(acting)}")


def _head(primitives: PrimitiveSet, tokens: _Tokens, slot: int, expected: str) -> tuple[int, float]:
    """Read the name after an opening parenthesis; return the opcode and the factor."""
    token = tokens.next("the name of a function")
    if token.text in "()" or _NUMBER.fullmatch(token.text):
        raise tokens.error(token, f"expected the name of a function, found {token}")
    code, factor = _lookup(primitives, tokens, token, slot, expected)
    if not _takes(primitives.primitives[code]):
        raise tokens.error(token, f"{token} takes no arguments: expected it without parentheses")
    return code, factor


def _takes(primitive: Primitive) -> bool:
    """Return whether a name stands behind a parenthesis: before arguments, or before the parameter of a terminal."""
    return bool(primitive.args) or (primitive.call is not None and not primitive.numbered)


def _named(primitives: PrimitiveSet, tokens: _Tokens, token: _Token, slot: int, expected: str) -> tuple[int, float]:
    """Return the opcode and the factor of a bare name, or the value of one that stands for a number."""
    number = dict(primitives.numbers).get(token.text)
    if number is not None:
        return _constant(primitives, tokens, _Token(print_number(number), token.at), slot, expected)
    code, factor = _lookup(primitives, tokens, token, slot, expected)
    primitive = primitives.primitives[code]
    if primitive.is_constant:
        what = "point" if isinstance(primitive.domain, Points) else "number"
        raise tokens.error(token, f"expected a {what} instead of {token}: {primitive.domain}")
    if _takes(primitive):
        raise tokens.error(token, f"{token} needs arguments: expected {_usage(primitive)}")
    return code, factor


def _lookup(primitives: PrimitiveSet, tokens: _Tokens, token: _Token, slot: int, expected: str) -> tuple[int, float]:
    """Return the opcode of a name that fits the slot, and the factor after it; 0 where there can be none."""
    name, colon, factor = token.text.partition(":") if primitives.factored else (token.text, "", "")
    try:
        code = primitives.opcode(name)
    except KeyError:
        names = [p.name for p in primitives.primitives if not p.is_constant]
        close = difflib.get_close_matches(name.upper(), [n.upper() for n in names], 3, 0.4)
        near = [n for c in close for n in names if n.upper() == c]
        hint = f"; close names: {', '.join(dict.fromkeys(near))}" if near else ""
        raise tokens.error(token, f"{token} is not in the primitive set: expected {expected}{hint}") from None
    if not primitives.fills[slot, code]:
        found = f"{token}, a {primitives.primitives[code].returns}"
        raise tokens.error(token, f"wrong type: expected {expected}, found {found}")
    if not colon:
        return code, float(primitives.factors[code])
    number = _float32(factor) if _NUMBER.fullmatch(factor) else np.nan
    if not primitives.factors[code]:
        returned = primitives.primitives[code].returns
        raise tokens.error(token, f"{show(name)}, a {returned}, has no factor: found {token}")
    if not np.isfinite(number):
        raise tokens.error(token, f"expected a number as the factor of {name}, found {show(factor) or 'nothing'}")
    return code, number


def _constant(primitives: PrimitiveSet, tokens: _Tokens, token: _Token, slot: int, expected: str) -> tuple[int, float]:
    """Return the opcode and the value of a bare number or point.

    The first constant of a fitting type whose domain holds the number is taken, constants of whole numbers first.
    """
    point = _POINT.fullmatch(token.text)
    fitting = [
        (code, p.domain)
        for code, p in enumerate(primitives.primitives)
        if p.is_constant and p.domain is not None and primitives.fills[slot, code]
    ]
    fitting.sort(key=lambda candidate: not isinstance(candidate[1], Integers))
    for code, domain in fitting:
        number = _number(domain, token.text)
        if number is not None and (number in domain or (primitives.scaled[code] and np.isfinite(number))):
            return code, number
    if not fitting:
        what = "point" if point else "number"
        raise tokens.error(token, f"wrong type: expected {expected}, found the {what} {token}")
    domains = " or ".join(str(domain) for _, domain in fitting)
    raise tokens.error(token, f"expected {domains}, found {token}")


def _number(domain: Domain, text: str) -> float | None:
    """Return the number of a text, a number or a point where the domain has points; None if it is neither."""
    point = _POINT.fullmatch(text)
    if point and isinstance(domain, Points):
        return domain.number(int(point[1]), int(point[2]))
    return _float32(text) if _NUMBER.fullmatch(text) and not isinstance(domain, Points) else None


def _float32(text: str) -> float:
    """Return the float32 nearest to a number; infinity if the number is too large."""
    with np.errstate(over="ignore"):
        return float(np.float32(text))


def _parameter(primitive: Primitive, tokens: _Tokens) -> float:
    """Read `number )` after the name of a terminal with a parameter."""
    expected = f"{primitive.domain} as the parameter of {primitive.name}"
    token = tokens.next(expected)
    number = None if primitive.domain is None else _number(primitive.domain, token.text)
    if primitive.domain is None or number is None or number not in primitive.domain:
        raise tokens.error(token, f"expected {primitive.domain} as the parameter of {primitive.name}, found {token}")
    token = tokens.next(f") after the parameter of {primitive.name}")
    if token.text != ")":
        raise tokens.error(token, f"expected ) after the parameter of {primitive.name}, found {token}")
    return number


def _usage(primitive: Primitive) -> str:
    args = primitive.args or ("[x,y]" if isinstance(primitive.domain, Points) else "number",)
    return f"({primitive.name} {' '.join(args)})"


def _arguments(primitive: Primitive) -> str:
    plural = "" if primitive.arity == 1 else "s"
    return f"{primitive.arity} argument{plural} of {primitive.name}"


def _print_terminal(primitives: PrimitiveSet, code: int, value: float) -> str:
    primitive = primitives.primitives[code]
    if primitive.is_constant:
        return print_constant(primitive.domain, value)
    if primitive.has_number:
        return f"({primitive.name} {print_constant(primitive.domain, value)})"
    return print_name(primitives, code, value)


def arrays_of(trees: list[list[tuple[int, float, int]]], capacity: int) -> Programs:
    """Return Programs [T, L] in NumPy arrays.

    Args:
        trees: (opcode, value, size) of each node of each tree, in postfix order.
        capacity: L.
    """
    opcode = np.zeros((len(trees), capacity), np.int16)
    value = np.zeros((len(trees), capacity), np.float32)
    size = np.zeros((len(trees), capacity), np.int16)
    for row, nodes in enumerate(trees):
        codes, values, sizes = zip(*nodes, strict=True)
        opcode[row, : len(nodes)], value[row, : len(nodes)], size[row, : len(nodes)] = codes, values, sizes
    length = np.array([len(nodes) for nodes in trees], np.int32)
    # Host arrays: nothing here touches a device.
    return Programs(opcode, value, size, length)  # type: ignore[arg-type]
