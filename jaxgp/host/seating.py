"""Who plays: from the options of a seat to the agent that sits in it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from jaxgp import reading
from jaxgp.contracts import Alone, Game
from jaxgp.errors import RunError, UsageError, reason, reject
from jaxgp.files import user_path
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.language import Genome
from jaxgp.genotypes.rulelists import RuleLanguage
from jaxgp.host import agents
from jaxgp.host.agents import Agent
from jaxgp.host.deepening import deepening, deepening_agent
from jaxgp.host.gtp import TIMEOUT, EngineError, gtp_agent
from jaxgp.host.seats import ALONE, KINDS, SEARCHING, Seat
from jaxgp.players.panel import strategist
from jaxgp.players.searches import TAIL, searches, unsearched
from jaxgp.printable import one_line
from jaxgp.spec import Cast, Dialect

GENOMES = ("rules", "program", "champion")
"""Players that are genomes, written by hand or evolved. A strategy may be one."""


def agent(seat: Seat, role: str, cast: Cast, champion: Genome | None) -> Agent | None:
    """Make a player; a person is None.

    Args:
        seat: complete, as `seated` returns it.
        role: `player` or `opponent`, for messages.
        cast: the game, and how genomes play it.
        champion: the champion of the run; not None if the seat asks for it.

    Raises:
        UsageError: something that the game does not have or accept, or a program that is not installed.
        RunError: an engine fails, or gives an answer that cannot be read.
    """
    kind = seat.name or ""
    why = unseated(kind, cast)
    if why:
        reject(role, kind, f"{', '.join(one for one in KINDS if not unseated(one, cast))}; {why}")
    makers: dict[str, Callable[[], Agent]] = {
        "minimax": lambda: searcher(cast, seat),
        "deepening": lambda: _deepener(cast, seat),
        "random": lambda: agents.random_agent(cast.game),
        "strategy": lambda: _strategist(cast, seat.strategy),
        "rules": lambda: agents.program_agent(cast.actor, _from_file(cast, seat.rules or ""), _stem(seat.rules)),
        "program": lambda: genome_agent(cast, _parsed(cast, seat.expression or "", "expression"), "program"),
        "champion": lambda: genome_agent(cast, champion, "champion"),
        "gtp": lambda: _engine(cast, seat),
    }
    try:
        made = makers[kind]() if kind in makers else None
        return made and replace(made, name=one_line(made.name))
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(str(error)) from error


def unseated(kind: str, cast: Cast) -> str:
    """Say why a kind of player cannot play a game; the empty text if it can."""
    game, spec = cast.game, cast.spec
    if game.seats == 1 and kind not in ALONE:
        return f"{game.name} is a game for one"
    if kind in SEARCHING and (why := unsearched(spec, game)):
        return why
    if kind == "strategy":
        return "" if spec.strategies else f"{game.name} has no strategies"
    if kind in GENOMES and cast.language is None:
        return f"no genomes play {game.name}"
    if kind == "rules" and not isinstance(cast.language, RuleLanguage):
        return f"{game.name} is played by programs, not by rules"
    if kind == "gtp" and (spec.dialect is None or game.chance):
        return f"no engine outside plays {game.name}"
    return ""


def _engine(cast: Cast, seat: Seat) -> Agent:
    assert cast.spec.dialect is not None
    return engine(cast.game, cast.spec.dialect(cast.game), seat.command or "", seat.timeout or TIMEOUT)


def engine(game: Game, speech: Dialect, command: str, timeout: float = TIMEOUT) -> Agent:
    """Start an engine outside.

    Raises:
        ValueError: it is not installed, or the command is empty.
        RunError: it fails, or gives an answer that cannot be read.
    """
    try:
        return gtp_agent(game, speech, command, timeout)
    except EngineError as error:
        raise RunError(str(error)) from error


def genome_agent(cast: Cast, genome: Genome, name: str) -> Agent:
    """Make a player of one genome, for any position, or for the one game that it plays alone."""
    make = agents.solo_agent if isinstance(cast.actor, Alone) else agents.program_agent
    return make(cast.actor, genome, name)


def searcher(cast: Cast, seat: Seat) -> Agent:
    """Make a player that searches to its depth; raises ValueError for an unknown evaluator."""
    depth = seat.depth or 1
    found = searches(cast.spec, cast.game, seat.evaluator, depth, seat.ties or "first", TAIL, lanes=1)
    return agents.search_agent(found, depth)


def _deepener(cast: Cast, seat: Seat) -> Agent:
    ties, most = seat.ties or "first", seat.depth or 1
    found = deepening(cast.spec, cast.game, seat.evaluator, most, ties, TAIL, seat.nodes, bool(seat.single))
    return deepening_agent(found)


def _strategist(cast: Cast, name: str | None) -> Agent:
    names = cast.spec.strategies
    name = name or names[0]
    if name not in names:
        reject("strategy", name, ", ".join(names))
    player, genome = strategist(cast.spec, cast.game, name)
    return agents.program_agent(player, genome, f"strategy {name}")


def _from_file(cast: Cast, file: str) -> Genome:
    try:
        text = reading.read_text(user_path("rules", file))
    except OSError as error:
        raise UsageError(f"rules={file}: cannot be read ({reason(error)}); accepted: a file of rules") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"rules={file}: not text in UTF-8; accepted: a file of rules, one a line") from error
    except ValueError as error:
        raise UsageError(f"rules={file}: {error}; accepted: a file of rules, one a line") from error
    return _parsed(cast, text, f"rules={file}")


def _parsed(cast: Cast, text: str, option: str) -> Genome:
    try:
        return languages.parse(cast.language, text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error


def _stem(file: str | None) -> str:
    return f"rules {Path(file or '').stem}"
