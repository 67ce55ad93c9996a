"""Who plays: from the options of a seat to the agent that sits in it."""

from pathlib import Path
from typing import Any

from jaxgp.contracts import Soloist
from jaxgp.errors import RunError, UsageError, reason, reject
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.language import Genome
from jaxgp.genotypes.rulelists import RuleLanguage
from jaxgp.host import agents
from jaxgp.host.agents import Agent
from jaxgp.host.deepening import deepening, deepening_agent
from jaxgp.host.gtp import TIMEOUT, EngineError, gtp_agent
from jaxgp.host.moves import players
from jaxgp.host.seats import ALONE, KINDS, Seat
from jaxgp.players.panel import strategist
from jaxgp.players.searches import searches
from jaxgp.spec import Cast, Dialect

TAIL = 2
"""Last plies that are searched full width."""
GENOMES = ("strategy", "rules", "program", "champion")
"""Players that are genomes, written by hand or evolved."""


def agent(seat: Seat, role: str, cast: Cast[Any], champion: Genome | None) -> Agent | None:
    """Make a player; a person is None.

    Args:
        seat: complete, as `seated` returns it.
        role: `player` or `opponent`, for messages.
        cast: the game, and how genomes play it.
        champion: of the run; there is one where a seat asks for it.

    Raises:
        UsageError: something that the game does not have or accept, or a program that is not installed.
        RunError: an engine that does not do as it should.
    """
    if players(cast.game) == 1 and seat.name not in ALONE:
        reject(role, seat.name, f"{', '.join(ALONE)}; {cast.game.name} is a game for one")
    if cast.language is None and seat.name in GENOMES:
        others = ", ".join(kind for kind in KINDS if kind not in GENOMES)
        reject(role, seat.name, f"{others}; no genomes play {cast.game.name}")
    try:
        if seat.name == "random":
            return agents.random_agent(cast.game)
        if seat.name == "minimax":
            return searcher(cast, seat)
        if seat.name == "deepening":
            ties, most = seat.ties or "first", seat.depth or 1
            return deepening_agent(deepening(cast.spec, cast.game, seat.evaluator, most, ties, TAIL, seat.nodes))
        if seat.name == "gtp":
            return _engine(cast, role, seat)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if seat.name == "champion":
        return genome_agent(cast, champion, "champion")
    if seat.name == "program":
        return genome_agent(cast, _parsed(cast, seat.expression or "", "expression"), "program")
    if seat.name == "rules":
        return agents.program_agent(cast.actor, _from_file(cast, role, seat.rules or ""), _stem(seat.rules))
    if seat.name == "strategy":
        return _strategist(cast, role, seat.strategy)
    return None


def _engine(cast: Cast[Any], role: str, seat: Seat) -> Agent:
    if cast.spec.dialect is None:
        others = ", ".join(kind for kind in KINDS if kind != "gtp")
        reject(role, "gtp", f"{others}; no engine outside plays {cast.game.name}")
    return engine(cast.game, cast.spec.dialect(cast.game), seat.command or "", seat.timeout or TIMEOUT)


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


def genome_agent(cast: Cast[Any], genome: Genome, name: str) -> Agent:
    make = agents.solo_agent if isinstance(cast.actor, Soloist) else agents.program_agent
    return make(cast.actor, genome, name)


def searcher(cast: Cast[Any], seat: Seat) -> Agent:
    """Make a player that searches to its depth; raises ValueError for an unknown evaluator."""
    depth = seat.depth or 1
    found = searches(cast.spec, cast.game, seat.evaluator, depth, seat.ties or "first", TAIL, lanes=1)
    return agents.search_agent(found, depth)


def _strategist(cast: Cast[Any], role: str, name: str | None) -> Agent:
    names = cast.spec.strategies
    if not names:
        others = ", ".join(kind for kind in KINDS if kind != "strategy")
        reject(role, "strategy", f"{others}; {cast.game.name} has no strategies")
    name = name or names[0]
    if name not in names:
        reject("strategy", name, ", ".join(names))
    player, genome = strategist(cast.spec, cast.game, name)
    return agents.program_agent(player, genome, f"strategy {name}")


def _from_file(cast: Cast[Any], role: str, file: str) -> Genome:
    if not isinstance(cast.language, RuleLanguage):
        others = ", ".join(kind for kind in KINDS if kind != "rules")
        reject(role, "rules", f"{others}; {cast.game.name} is played by programs, not by rules")
    try:
        text = Path(file).expanduser().read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"rules={file}: cannot be read ({reason(error)}); accepted: a file of rules") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"rules={file}: not text in UTF-8; accepted: a file of rules, one a line") from error
    return _parsed(cast, text, f"rules={file}")


def _parsed(cast: Cast[Any], text: str, option: str) -> Genome:
    try:
        return languages.parse(cast.language, text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error


def _stem(file: str | None) -> str:
    return f"rules {Path(file or '').stem}"
