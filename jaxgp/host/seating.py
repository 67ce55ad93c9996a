"""Who plays: from the options of a seat to the agent that sits in it."""

from pathlib import Path
from typing import Any

from jaxgp.errors import RunError, UsageError, reason, reject
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.language import Genome
from jaxgp.genotypes.rulelists import RuleLanguage
from jaxgp.host import agents
from jaxgp.host.agents import Agent
from jaxgp.host.deepening import deepening_agent
from jaxgp.host.gtp import TIMEOUT, EngineError, gtp_agent
from jaxgp.host.moves import players
from jaxgp.host.seats import ALONE, KINDS, Seat
from jaxgp.players.guided import plays_alone
from jaxgp.run.assemble import Table, strategist
from jaxgp.spec import Dialect

TAIL = 2
"""Last plies that are searched full width."""
GENOMES = ("strategy", "rules", "program", "champion")
"""Players that are genomes, written by hand or evolved."""


def agent(seat: Seat, role: str, table: Table, champion: Genome | None) -> Agent | None:
    """Make a player; a person is None.

    Args:
        seat: complete, as `seated` returns it.
        role: `player` or `opponent`, for messages.
        table: the game.
        champion: of the run; there is one where a seat asks for it.

    Raises:
        UsageError: something that the game does not have or accept, or a program that is not installed.
        RunError: an engine that does not do as it should.
    """
    if players(table.game) == 1 and seat.name not in ALONE:
        reject(role, seat.name, f"{', '.join(ALONE)}; {table.game.name} is a game for one")
    if table.language is None and seat.name in GENOMES:
        others = ", ".join(kind for kind in KINDS if kind not in GENOMES)
        reject(role, seat.name, f"{others}; no genomes play {table.game.name}")
    try:
        if seat.name == "random":
            return agents.random_agent(table.game)
        if seat.name == "minimax":
            return searcher(table, seat)
        if seat.name == "deepening":
            thinker = table.deepening(seat.evaluator, seat.depth or 1, seat.ties or "first", TAIL, seat.nodes)
            return deepening_agent(thinker)
        if seat.name == "gtp":
            return _engine(table, role, seat)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if seat.name == "champion":
        return _genome_agent(table, champion, "champion")
    if seat.name == "program":
        return _genome_agent(table, _parsed(table, seat.expression or "", "expression"), "program")
    if seat.name == "rules":
        return agents.program_agent(table.player, _from_file(table, role, seat.rules or ""), _stem(seat.rules))
    if seat.name == "strategy":
        return _strategist(table, role, seat.strategy)
    return None


def dialect(table: Table) -> Dialect | None:
    """Return how engines outside speak of the game; None where none do."""
    try:
        made: Dialect = table.room("gtp").dialect(table.game)
    except ModuleNotFoundError:
        return None
    return made


def _engine(table: Table, role: str, seat: Seat) -> Agent:
    speech = dialect(table)
    if speech is None:
        others = ", ".join(kind for kind in KINDS if kind != "gtp")
        reject(role, "gtp", f"{others}; no engine outside plays {table.game.name}")
    return engine(table.game, speech, seat.command or "", seat.timeout or TIMEOUT)


def engine(game: Any, speech: Dialect, command: str, timeout: float = TIMEOUT) -> Agent:
    """Start an engine outside.

    Raises:
        ValueError: it is not installed, or no command.
        RunError: it does not do as it should.
    """
    try:
        return gtp_agent(game, speech, command, timeout)
    except EngineError as error:
        raise RunError(str(error)) from error


def _genome_agent(table: Table, genome: Genome, name: str) -> Agent:
    make = agents.solo_agent if plays_alone(table.player) else agents.program_agent
    return make(table.player, genome, name)


def searcher(table: Table, seat: Seat) -> Agent:
    """Make a player that searches to its depth; raises ValueError for an unknown evaluator."""
    depth = seat.depth or 1
    searches = table.searches(seat.evaluator, depth, seat.ties or "first", TAIL, lanes=1)
    return agents.search_agent(searches, depth)


def _strategist(table: Table, role: str, name: str | None) -> Agent:
    names = getattr(table.room("opponents"), "STRATEGIES", ())
    if not names:
        others = ", ".join(kind for kind in KINDS if kind != "strategy")
        reject(role, "strategy", f"{others}; {table.game.name} has no strategies")
    name = name or names[0]
    if name not in names:
        reject("strategy", name, ", ".join(names))
    player, genome = strategist(name, table)
    return agents.program_agent(player, genome, f"strategy {name}")


def _from_file(table: Table, role: str, file: str) -> Genome:
    if not isinstance(table.language, RuleLanguage):
        others = ", ".join(kind for kind in KINDS if kind != "rules")
        reject(role, "rules", f"{others}; {table.game.name} is played by programs, not by rules")
    try:
        text = Path(file).expanduser().read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"rules={file}: cannot be read ({reason(error)}); accepted: a file of rules") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"rules={file}: not text in UTF-8; accepted: a file of rules, one a line") from error
    return _parsed(table, text, f"rules={file}")


def _parsed(table: Table, text: str, option: str) -> Genome:
    try:
        return languages.parse(table.language, text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error


def _stem(file: str | None) -> str:
    return f"rules {Path(file or '').stem}"
