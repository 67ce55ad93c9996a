"""How often programs use each terminal, and about what: the parts of a position that they look at.

python scripts/studies/backgammon/terminals.py runs=[DIR,DIR]
python scripts/studies/backgammon/terminals.py runs=[DIR] individuals=candidates

Source: M. Sipper, "Evolved to Win" (2011), section 7.5, which examines evolved players of backgammon. General queries,
about a whole position, were more common there than queries about one place, and some places were ignored. A query
about a place is a terminal with a parameter, drawn when the node is made. A program has more terminals of a kind that
creation draws more often, so programs made anew, as those of the first generation, stand beside the evolved ones.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
from matplotlib.figure import Figure

import envs
from jaxgp import files
from jaxgp.anatomy.anatomy_report import draw_table
from jaxgp.config import arguments
from jaxgp.config.schema import Config
from jaxgp.errors import RunError, UsageError, reason
from jaxgp.evolution.options import GPOptions
from jaxgp.genotypes.primitives import Domain, Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.measure import champions
from jaxgp.measure.champions import Loaded
from jaxgp.operators.creation import create
from jaxgp.options import MAX_POPULATION, MAX_SEED, option
from jaxgp.printable import printable
from jaxgp.report import document, plots
from jaxgp.report.document import Document, DocumentTable, Part, Picture
from jaxgp.run.run import use_compilation_cache
from jaxgp.store import checkpoint
from jaxgp.store.directory import RunDirectory

CHAMPION, CANDIDATES, POPULATION = "champion", "candidates", "population"
JSON = "terminals.json"
GENERAL, PLACE, CONSTANT = "general", "with a parameter", "constant"
KINDS = (GENERAL, PLACE, CONSTANT)
ALL = "all"
WORDS = {CHAMPION: "champion", CANDIDATES: "candidate", POPULATION: "individual"}
SHOWN = 12
"""Values of a parameter that a cell names at most."""

Row = dict[str, object]


@dataclass
class Options:
    """Which programs are counted, and beside which."""

    runs: list[str] = option([], "run directories with a champion.json, or such files, of one game and role")
    individuals: str = option(
        CHAMPION,
        "of each run; champion; candidates: the best few of its generations, if it keeps some; population: the last",
        (CHAMPION, CANDIDATES, POPULATION),
    )
    anew: int = option(
        1000,
        "programs that are made as the first run made its first generation, to compare with; 0: none",
        low=0,
        high=MAX_POPULATION,
    )
    seed: int = option(0, "of these programs", low=0, high=MAX_SEED)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    output: str | None = option(None, "directory for results; null: terminals, beside the first champion", path=True)


@dataclass(frozen=True)
class Counts:
    """How often some individuals use terminals; N of them, each of T trees.

    Attributes:
        individuals: N.
        nodes: int[T, P], by tree and opcode, functions too.
        users: int[T, P], individuals that use them.
        asked: by tree and opcode, of terminals with a parameter: int[V], how often they have each value, the lowest
            first.
    """

    individuals: int
    nodes: np.ndarray
    users: np.ndarray
    asked: Mapping[tuple[int, int], np.ndarray]


@dataclass(frozen=True)
class Terminals:
    """The terminals of evolved individuals, beside those of programs that were made anew.

    Attributes:
        champions: of the runs.
        who: what was counted, in words.
        language: what the individuals are written in.
        evolved: their terminals.
        made: those of new programs; None: none were made.
    """

    champions: Sequence[Loaded]
    who: str
    language: PrimitiveSet
    evolved: Counts
    made: Counts | None


def count(language: PrimitiveSet, programs: Programs) -> Counts:
    """Count the terminals of individuals, [N, T, L]."""
    codes, values, length = (np.asarray(x) for x in (programs.opcode, programs.value, programs.length))
    live = np.arange(codes.shape[-1]) < length[..., None]
    used = np.stack([((codes == code) & live).sum(-1) for code in range(len(language.primitives))], -1)  # [N, T, P]
    asked = {}
    for code, p in enumerate(language.terminals):
        if kind(p) == PLACE and isinstance(domain := p.domain, Integers):
            for tree in range(codes.shape[1]):
                chosen = values[:, tree][(codes[:, tree] == code) & live[:, tree]].astype(int) - domain.low
                asked[tree, code] = np.bincount(chosen, minlength=domain.high - domain.low + 1)
    return Counts(len(codes), used.sum(0), (used > 0).sum(0), asked)


def together(parts: Sequence[Counts]) -> Counts:
    """Add the counts of several groups of individuals."""
    asked = {place: np.sum([part.asked[place] for part in parts], 0) for place in parts[0].asked}
    nodes, users = (np.sum([getattr(part, name) for part in parts], 0) for name in ("nodes", "users"))
    return Counts(sum(part.individuals for part in parts), nodes, users, asked)


def kind(p: Primitive) -> str:
    """Return what kind of terminal this is, one of `KINDS`."""
    if p.has_number and not p.is_constant:
        return PLACE
    return CONSTANT if p.is_constant or p.fixed is not None else GENERAL


def check(named: Sequence[tuple[str, Loaded]]) -> None:
    """Refuse champions that are no programs, or are written in another set than the first; raises UsageError."""
    if not named:
        raise UsageError("runs: which champions? Write runs=[DIR,DIR], run directories")
    first = named[0][1].cast.language
    for name, one in named:
        if not isinstance(one.genome, Programs):
            raise UsageError(f"runs: {name}: its champion is no program; accepted: champions that are programs")
        if (one.cast.language.name, one.cast.language.version) != (first.name, first.version):
            raise UsageError(f"runs: {name} is written in other primitives than {named[0][0]}")


def individuals(name: str, loaded: Loaded, which: str) -> Programs:
    """Return individuals of a run, [N, T, L]: see `Options.individuals`.

    Raises:
        UsageError: its last checkpoint is missing or damaged, or keeps no candidates.
    """
    if which == CHAMPION:
        return jax.tree.map(lambda x: np.asarray(x)[None], loaded.genome)
    saved = checkpoint.available(RunDirectory(loaded.path.parent).checkpoints)
    if not saved:
        raise UsageError(f"individuals={which}: {name} has no checkpoint; accepted: {CHAMPION}")
    try:
        arrays = checkpoint.read(saved[0][1])
    except checkpoint.UnreadableError as error:
        raise UsageError(f"individuals={which}: {error}") from error
    at = ".candidates.individuals.genome." if which == CANDIDATES else ".population."
    if at + "opcode" not in arrays:
        raise UsageError(f"individuals={which}: {name} keeps none; accepted: {CHAMPION}")
    fields: Any = {name: arrays[at + name] for name in ("opcode", "value", "size", "length")}
    found = Programs(**fields)
    trees = loaded.cast.language.num_trees
    found = jax.tree.map(lambda x: x.reshape(-1, trees, *x.shape[found.length.ndim :]), found)  # islands, if any
    return jax.tree.map(lambda x: x[found.length.all(1)], found)  # empty places have no nodes


def anew(loaded: Loaded, number: int, seed: int) -> Programs | None:
    """Make programs [N, T, L] as the first generation of a run is made; None where its options are not known."""
    folder = RunDirectory(loaded.path.parent)
    if not number or not folder.holds_run():
        return None
    config: Config = folder.read_config()
    algorithm = config.algorithm
    if not isinstance(algorithm, GPOptions):
        return None
    made = partial(create, primitives=loaded.cast.language, config=algorithm.creation, population=number)
    return jax.device_get(jax.jit(partial(made, capacity=algorithm.capacity))(jax.random.key(seed)))


def analyse(named: Sequence[tuple[str, Loaded]], which: str, number: int, seed: int) -> Terminals:
    """Count the terminals of individuals of some runs, and of programs made anew as the first run made them."""
    check(named)
    loaded = [one for _, one in named]
    language = loaded[0].cast.language
    evolved = together([count(language, individuals(name, one, which)) for name, one in named])
    made = anew(loaded[0], number, seed)
    who = f"{_counted(evolved.individuals, WORDS[which])} of {_counted(len(named), 'run')}"
    return Terminals(loaded, who, language, evolved, None if made is None else count(language, made))


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def _fitting(found: Terminals, tree: int) -> list[int]:
    """Return the terminals that a tree uses, here or among the new programs."""
    nodes = found.evolved.nodes[tree] + (0 if found.made is None else found.made.nodes[tree])
    return [code for code in range(found.language.num_terminals) if nodes[code]]


def _lowest(language: PrimitiveSet, code: int) -> int:
    """Return the lowest value of the parameter of a terminal."""
    domain = language.terminals[code].domain
    return domain.low if isinstance(domain, Integers) else 0


def _share(counts: Counts | None, tree: int, codes: Sequence[int], whole: Sequence[int]) -> float | None:
    """Return the share of some terminals among those of a tree."""
    total = 0 if counts is None else counts.nodes[tree, list(whole)].sum()
    return float(counts.nodes[tree, list(codes)].sum() / total) if counts is not None and total else None


def shares(found: Terminals) -> list[Row]:
    """Return a row for each kind of terminals of each tree, and for each terminal: nodes, shares, users."""
    rows: list[Row] = []
    for tree in range(found.language.num_trees):
        fitting = _fitting(found, tree)
        by_kind = [[code for code in fitting if kind(found.language.terminals[code]) == one] for one in KINDS]
        groups = [(f"{ALL} {one}", one, codes) for one, codes in zip(KINDS, by_kind, strict=True) if codes]
        for one, codes in zip(KINDS, by_kind, strict=True):
            groups += [(found.language.terminals[code].name, one, [code]) for code in codes]
        for name, one, codes in groups:
            row: Row = {"tree": str(tree + 1), "terminal": name, "kind": one}
            row["nodes"] = int(found.evolved.nodes[tree, codes].sum())
            row["share"] = _share(found.evolved, tree, codes, fitting)
            row["share when made anew"] = _share(found.made, tree, codes, fitting)
            whole = name == f"{ALL} {one}"
            row["used by"] = None if whole else int(found.evolved.users[tree, codes[0]])
            rows.append(row)
    return rows


def places(found: Terminals) -> list[Row]:
    """Return a row for each terminal with a parameter: how often it has each value, and which it never has.

    The terminals of a tree that take the same values have a row together, too.
    """
    rows: list[Row] = []
    for tree in range(found.language.num_trees):
        asked = {code: each for (at, code), each in found.evolved.asked.items() if at == tree}
        asked = {code: each for code, each in asked.items() if code in _fitting(found, tree)}
        domains = {code: found.language.terminals[code].domain for code in asked}
        rows += [_asked(tree, found.language.terminals[code].name, domains[code], each) for code, each in asked.items()]
        if len(asked) > 1 and len({str(domain) for domain in domains.values()}) == 1:
            rows.append(_asked(tree, ALL, next(iter(domains.values())), np.sum([*asked.values()], 0)))
    return rows


def _asked(tree: int, name: str, domain: Domain | None, asked: np.ndarray) -> Row:
    """Return how often each value of a parameter is asked about (int[V]), in words."""
    low = int(domain.low) if domain is not None else 0
    order = [int(value) for value in np.argsort(-asked, kind="stable") if asked[value]]
    most = ", ".join(f"{low + value} ({asked[value]})" for value in order[:SHOWN])
    return {
        "tree": str(tree + 1),
        "terminal": name,
        "nodes": int(asked.sum()),
        "values": f"{len(order)} of {len(asked)}",
        "most often": most + (", ..." if len(order) > SHOWN else "") or "none",
        "never": spans([low + int(value) for value in np.flatnonzero(asked == 0)]) or "none",
    }


def spans(numbers: Sequence[int]) -> str:
    """Return ascending whole numbers in words, as in 1-4, 7."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def report(found: Terminals) -> Document:
    """Return the counts as a report."""
    content = found.champions[0].content
    facts = [("game", str(content.game["name"])), ("role", str(found.champions[0].cast.program["role"]))]
    facts.append(("individuals", found.who))
    text = (
        f"Nodes of {found.who}, introns too. A terminal with a parameter asks about one place, a general one about "
        "all of a position."
    )
    if found.made is not None:
        text += f" Beside them are {found.made.individuals:,} programs, made anew as the run made its first generation."
    parts: list[Part] = [text, DocumentTable(shares(found))]
    sections: list[tuple[str, Sequence[Part]]] = [("Terminals", parts)]
    if rows := places(found):
        caption = "How often each value of a parameter is asked about; the line: if all values were equally frequent"
        sections.append(("Parameters", [DocumentTable(rows), Picture("parameters", caption, partial(draw, found))]))
    return Document(f"Terminals of {found.who}", facts, sections)


def draw(found: Terminals) -> Figure:
    """Draw how often each value of a parameter is asked about: a panel for each tree, bars one above the other."""
    trees = sorted({tree for tree, code in found.evolved.asked if code in _fitting(found, tree)})
    figure = plots.figure(6.4, 2.6 * len(trees))
    for axis, tree in zip(np.ravel(figure.subplots(len(trees), 1, squeeze=False)), trees, strict=True):
        codes = [code for at, code in found.evolved.asked if at == tree and code in _fitting(found, tree)]
        lowest = [_lowest(found.language, code) for code in codes]
        asked = [found.evolved.asked[tree, code] for code in codes]
        low, high = min(lowest), max(first + len(each) - 1 for first, each in zip(lowest, asked, strict=True))
        base = np.zeros(high - low + 1)
        for code, first, each, color in zip(codes, lowest, asked, plots.colours(len(codes)), strict=True):
            heights = np.zeros_like(base)
            heights[first - low :][: len(each)] = each
            name = found.language.terminals[code].name
            axis.bar(np.arange(low, high + 1), heights, bottom=base, width=0.85, label=name, color=color)
            base += heights
        axis.axhline(base.mean(), color=plots.INK, linewidth=0.8)
        axis.set_ylabel(f"nodes, tree {tree + 1}", color=plots.INK)
        axis.legend(frameon=False, fontsize=8, ncols=3, loc="lower left", bbox_to_anchor=(0, 1))
        plots.paint(axis, plots.INK)
    axis.set_xlabel("value of the parameter", color=plots.INK)
    return figure


def as_json(found: Terminals) -> files.Json:
    """Return all figures for other programs."""
    return {
        "champions": [str(one.path) for one in found.champions],
        "individuals": found.evolved.individuals,
        "who": found.who,
        "terminals": shares(found),
        "parameters": [
            {
                "tree": tree + 1,
                "terminal": found.language.terminals[code].name,
                "lowest": _lowest(found.language, code),
                "asked": asked.tolist(),
            }
            for (tree, code), asked in found.evolved.asked.items()
            if code in _fitting(found, tree)
        ],
    }


def save(folder: Path, found: Terminals) -> None:
    """Write the report and the figures as JSON; raises OSError."""
    files.write_json(folder / JSON, as_json(found))
    document.save(folder, report(found))


def lines(found: Terminals) -> list[str]:
    """Return the figures as lines for the terminal."""
    rows = [{name: _percent(value) for name, value in row.items()} for row in shares(found)]
    tables = [draw_table(f"Terminals of {found.who}", rows)]
    if asked := places(found):
        tables.append(draw_table("Parameters: values, and how often", asked))
    return "\n".join(tables).splitlines()


def _percent(value: object) -> object:
    return f"{100 * value:.1f} %" if isinstance(value, float) else value


def task(options: Options) -> int:
    """Count the terminals of champions, and what they ask about."""
    use_compilation_cache(options.compilation_cache)
    named = [(run, champions.load(run, envs, "runs")) for run in options.runs]
    made = analyse(named, options.individuals, options.anew, options.seed)
    beside = named[0][1].path.parent / "terminals"
    folder = files.make_directory(files.user_path("output", options.output) if options.output else beside, "output")
    try:
        save(folder, made)
    except OSError as error:
        raise RunError(f"output={folder}: {reason(error)}") from error
    print(printable("\n".join([*lines(made), "", f"Written to {folder}"])))
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
