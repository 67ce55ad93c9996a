"""Programs in other notations: S-expression, Graphviz DOT, LaTeX and Python, all derived from the primitives.

Nothing here recurses, so no program is too deep. In Python and LaTeX an expression that grows too wide for a line is
given a name, t1, t2 and so on, and equal ones share a name; this also keeps nesting within what Python can parse.
A leaf's weight is written as a division by a whole number, a node's factor as a multiplication. A part with an effect
is evaluated where it stands and no more than once: where it has a name, that is of a function, which is called there.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from string import Formatter

import numpy as np

from jaxgp.export import player
from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import print_constant, print_name, print_number, print_program
from jaxgp.interpreter.weights import LARGEST, divisors
from jaxgp.printable import printable

WIDTH = 88
"""Characters beyond which parts of an expression are given names of their own."""
MOST_CHARACTERS = 10**9
"""Width of an expression without named parts."""


_NAME = re.compile(r"\bt\d+\b")


class ExportError(ValueError):
    """A program cannot be written in the notation; the message says which primitive lacks what."""


@dataclass
class Equations:
    """A program as assignments in order, and the expression of each tree."""

    lines: list[tuple[str, str]] = field(default_factory=list)  # (name, expression)
    values: list[str] = field(default_factory=list)

    def body(self, result: str) -> str:
        """Return the lines of a function that returns an expression over these names."""
        return "\n".join([*(f"    {name} = {text}" for name, text in self.lines), f"    return {result}"])

    def needed(self, tree: int) -> "Equations":
        """Return the part that one of the trees needs, of equations whose names are t1, t2 and so on."""
        wanted = set(_NAME.findall(self.values[tree]))
        for name, text in reversed(self.lines):
            if name in wanted:
                wanted.update(_NAME.findall(text))
        return replace(self, lines=[line for line in self.lines if line[0] in wanted])

    # Games write their modules with it, and import nothing of this room.
    searched = staticmethod(player.write_search)


@dataclass(frozen=True)
class Written:
    """An individual, for writers of games.

    Attributes:
        primitives: the set.
        program: the individual, [T, L].
        features: name of the features in the text.
        name: what the program is to be called, in notations where it has a name; None: what the game calls it.
    """

    primitives: PrimitiveSet
    program: Programs
    features: str = "features"
    name: str | None = None

    @property
    def python(self) -> Equations:
        """Its trees as Python assignments; raises ExportError."""
        return python(self.primitives, self.program, self.features)

    def written(self, template: Callable[[Primitive], str]) -> Equations:
        """Return its trees as assignments by templates; see `equations`."""
        return equations(self.primitives, self.program, template, lambda n: f"t{n}", self.features)

    def expressions(self, template: Callable[[Primitive], str], number: Callable[[float], str]) -> list[str]:
        """Return its trees as one expression each, by templates that write each argument at most once."""
        args = (self.primitives, self.program, template, str, self.features)
        return equations(*args, number=number, width=MOST_CHARACTERS).values


def sexpr(primitives: PrimitiveSet, program: Programs) -> str:
    """Write an individual, [T, L], as `parse_program` reads it."""
    return print_program(primitives, program) + "\n"


def python(primitives: PrimitiveSet, program: Programs, features: str = "features") -> Equations:
    """Write an individual, [T, L], as Python assignments over a list named `features`.

    The templates of the primitives may call functions that Python lacks; the user has to define these.

    Raises:
        ExportError: a primitive has no Python form.
    """

    def template(primitive: Primitive) -> str:
        if primitive.python:
            return primitive.python
        if primitive.feature is not None:
            return f"{{features}}[{primitive.feature}]"
        if primitive.is_constant:
            return "{value}"
        raise ExportError(f"the primitive {primitive.name} has no Python form")

    return equations(primitives, program, template, lambda n: f"t{n}", features, delay="lambda: {}", call="{}()")


def latex(primitives: PrimitiveSet, program: Programs, features: str = "x") -> str:
    """Write an individual, [T, L], as an `align*` environment of the amsmath package."""

    def template(primitive: Primitive) -> str:
        if primitive.latex:
            return primitive.latex
        if primitive.feature is not None:
            return f"{{features}}_{{{{{primitive.feature}}}}}"
        name = f"\\mathrm{{{{{latex_name(primitive.name)}}}}}"
        if primitive.is_constant:
            return "{value}"
        if primitive.domain is not None:
            return f"{name}({{value}})"
        args = ",\\,".join(f"{{{n}}}" for n in range(primitive.arity))
        return f"{name}({args})"

    written = equations(primitives, program, template, lambda n: f"t_{{{n}}}", features, "({} \\cdot {})")
    results = ["v"] if len(written.values) == 1 else [f"v_{{{n + 1}}}" for n in range(len(written.values))]
    rows = [*written.lines, *zip(results, written.values, strict=True)]
    body = " \\\\\n".join(f"{name} &= {text}" for name, text in rows)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}\n"


def latex_name(name: str) -> str:
    """Escape a name for LaTeX and double its braces for `str.format`."""
    special = {"\\": "\\backslash ", "{": "\\{{", "}": "\\}}", "^": "\\hat{{}}", "~": "\\sim "}
    return "".join(special.get(c, f"\\{c}" if c in "_&%#$" else c) for c in name)


def equations(
    primitives: PrimitiveSet,
    program: Programs,
    template: Callable[[Primitive], str],
    name: Callable[[int], str],
    features: str,
    product: str = "({} * {})",
    width: int = WIDTH,
    number: Callable[[float], str] = print_number,
    delay: str = "{}",
    call: str = "{}",
) -> Equations:
    """Write an individual, [T, L], by a template for each primitive, naming parts so that expressions stay narrow.

    Args:
        primitives: the set.
        program: the individual.
        template: format string of a primitive, with `{0}`, `{1}` for arguments, `{value}` and `{features}`.
        name: the name of the n-th part, from 1.
        features: what `{features}` becomes.
        product: format string for a node times its factor.
        width: characters of an expression, roughly.
        number: float -> its text.
        delay: format string of a part with an effect where it gets a name: that of a function without arguments.
        call: format string of a call of such a function.
    """
    written, named = Equations(), dict[str, str]()

    def shorten(part: _Part) -> _Part:
        if part.text not in named:
            named[part.text] = name(len(named) + 1)
            written.lines.append((named[part.text], delay.format(_bare(part.text)) if part.acts else part.text))
        used = named[part.text]
        return _Part(call.format(used) if part.acts else used, atom=True, acts=part.acts)

    for tree in _trees(program):
        stack: list[_Part] = []
        for place, ((code, value), divisor) in enumerate(zip(_nodes(tree), divisors(primitives, tree), strict=True)):
            primitive = primitives.primitives[code]
            form = template(primitive)
            if divisor > 1 and not primitive.args:
                form = f"({form} / {divisor})" if divisor < LARGEST else "0.0"
            if primitives.factors[code] and value != 1:
                factor = number(value)
                form = product.format(form, factor if value >= 0 else f"({factor})")
            args = stack[len(stack) - primitive.arity :]
            del stack[len(stack) - primitive.arity :]
            # An argument that the form writes twice would double the text at every level.
            uses = [sum(used == str(n) for _, used, _, _ in Formatter().parse(form)) for n in range(primitive.arity)]
            args = [shorten(a) if count > 1 and not a.atom else a for a, count in zip(args, uses, strict=True)]
            args = [a if count else _Part("", atom=True) for a, count in zip(args, uses, strict=True)]
            fixed = len(form)
            while fixed + sum(len(a.text) for a in args) > width and not all(a.atom for a in args):
                longest = max((n for n, a in enumerate(args) if not a.atom), key=lambda n: len(args[n].text))
                args[longest] = shorten(args[longest])
            own = str(place) if primitive.numbered else number(value)
            text = form.format(*(a.text for a in args), value=own, features=features)
            acts = primitive.effect is not None or any(a.acts for a in args)
            stack.append(_Part(text, atom=not primitive.args, acts=acts))
        written.values.append(stack[0].text)
    return Equations([(name, _bare(text)) for name, text in written.lines], [_bare(text) for text in written.values])


@dataclass(frozen=True)
class _Part:
    text: str
    atom: bool  # a terminal or a name: not worth a name of its own
    acts: bool = False  # it has an effect


def dot(
    primitives: PrimitiveSet, program: Programs, title: str = "", fills: Mapping[tuple[int, int], str] | None = None
) -> str:
    """Write an individual, [T, L], as a Graphviz digraph; arguments from left to right.

    Args:
        primitives: the set.
        program: the individual.
        title: the label of the graph.
        fills: colours of nodes, by tree and by number in postfix order, instead of those of functions and terminals.
    """
    fills = fills or {}
    lines = ["digraph program {", f"  label={_quoted(title)};"] if title else ["digraph program {"]
    lines += ["  ordering=out;", '  node [shape=box, style="rounded,filled", fontname="Helvetica", fillcolor=white];']
    for t, tree in enumerate(_trees(program)):
        stack: list[str] = []
        shares = divisors(primitives, tree)
        for n, (code, value) in enumerate(_nodes(tree)):
            primitive, node = primitives.primitives[code], f"t{t}n{n}"
            fill = fills.get((t, n), "" if primitive.args else "#e8f0fe")
            look = f', fillcolor="{fill}"' if fill else ""
            text = label(primitives, code, value) + ("" if primitive.args or shares[n] == 1 else f" / {shares[n]}")
            lines.append(f"  {node} [label={_quoted(text)}{look}];")
            first = len(stack) - primitive.arity
            lines += [f"  {node} -> {child};" for child in stack[first:]]
            stack[first:] = [node]
    return "\n".join([*lines, "}"]) + "\n"


def label(primitives: PrimitiveSet, code: int, value: float) -> str:
    """Return the label of a node: its name, its number, or both."""
    primitive = primitives.primitives[code]
    if primitive.has_number:
        number = print_constant(primitive.domain, value)
        return number if primitive.is_constant else f"{primitive.name} {number}"
    return print_name(primitives, code, value)


def _quoted(text: str) -> str:
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _bare(text: str) -> str:
    """Drop parentheses that enclose a whole expression."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = np.cumsum([{"(": 1, ")": -1}.get(c, 0) for c in text])
    return text[1:-1] if (depth[:-1] > 0).all() else text


def _trees(program: Programs) -> Iterable[Programs]:
    for t in range(np.asarray(program.length).shape[0]):
        yield Programs(program.opcode[t], program.value[t], program.size[t], program.length[t])


def _nodes(tree: Programs) -> list[tuple[int, float]]:
    """Opcode and value of each node, in postfix order."""
    count = int(tree.length)
    return list(zip(np.asarray(tree.opcode)[:count].tolist(), np.asarray(tree.value)[:count].tolist(), strict=True))
