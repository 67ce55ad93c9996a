"""Kind `engine`: a program outside the project, in a process of its own."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jaxgp.errors import RunError, UsageError, reject
from jaxgp.options import MAX_COUNT, MAX_SECONDS, option
from jaxgp.printable import one_line, plies
from jaxgp.seats.options import PlayerOptions

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.seats.agents import Agent


@dataclass(kw_only=True)
class EngineOptions(PlayerOptions):
    """An engine outside; it measures champions and plays at the table, and trains nobody."""

    kind: str = option("engine", "a program outside the project", ("engine",))
    protocol: str = option(
        "gtp", "what it speaks; gtp: the Go Text Protocol; uci: the Universal Chess Interface", ("gtp", "uci")
    )
    command: str = option("", "the program and its options")
    nodes: int = option(
        1000, "with protocol=uci: positions that it may look at for a move", low=1, high=MAX_COUNT, label="nodes"
    )
    depth: int | None = option(
        None,
        "with protocol=uci: plies that it searches for a move, in the place of nodes; null: `nodes` end a search",
        low=1,
        high=100,
    )
    hash: int = option(16, "with protocol=uci: the size of its table", low=1, high=65536, unit="MiB")
    timeout: float = option(
        120.0, "how long it may take for a move", low=0, high=MAX_SECONDS, above=True, unit="seconds"
    )

    main = "command"
    words = ("protocol", "command")
    measures = True

    @property
    def text(self) -> str:
        limit = f" nodes={self.nodes}" if self.depth is None else f" depth={self.depth}"
        return super().text + (limit if self.protocol == "uci" else "")

    @property
    def short(self) -> str:
        limit = f", {self.nodes} nodes" if self.depth is None else f", {plies(self.depth)}"
        return super().short + (limit if self.protocol == "uci" else "")

    @property
    def bound(self) -> bool:
        return True

    @property
    def says(self) -> str:
        return f"the engine {self.short}"

    def unfit(self, cast: "Cast") -> str:
        mute = cast.spec.dialect is None or cast.game.chance
        return super().unfit(cast) or (f"no engine outside plays {cast.game.name}" if mute else "")

    def check(self, option: str, cast: "Cast") -> None:
        super().check(option, cast)
        if not self.command:
            needs = f'{option}.command="PROGRAM OPTIONS"'
            raise UsageError(f"{option}=engine: needs {needs} as well", option, "engine", needs)
        assert cast.spec.dialect is not None, "see `unfit`"
        spoken = cast.spec.dialect(cast.game).protocol
        if self.protocol != spoken:
            reject(f"{option}.protocol", self.protocol, f"{spoken}, which engines of {cast.game.name} speak")

    def missing(self, option: str, cast: "Cast") -> str:
        from jaxgp.seats.gtp import MissingEngineError, find

        assert cast.spec.dialect is not None, "an engine that `check` accepts"
        try:
            find(self.command, cast.spec.dialect(cast.game).packages)
        except MissingEngineError as error:
            return str(error)
        except ValueError as error:
            raise UsageError(f"{option}.{error}") from error
        return ""

    def agent(self, option: str, cast: "Cast", champion: object = None) -> "Agent":
        from jaxgp.games.notation import Positions
        from jaxgp.seats.gtp import EngineError, gtp_agent
        from jaxgp.seats.uci import uci_agent

        self.check(option, cast)
        assert cast.spec.dialect is not None, "see `unfit`"
        try:
            dialect = cast.spec.dialect(cast.game)
            if isinstance(dialect, Positions):
                go = f"nodes {self.nodes}" if self.depth is None else f"depth {self.depth}"
                made = uci_agent(cast.game, dialect, self.command, go, self.hash, self.timeout)
            else:
                made = gtp_agent(cast.game, dialect, self.command, self.timeout)
            return replace(made, name=one_line(made.name))
        except EngineError as error:
            raise RunError(str(error)) from error
        except ValueError as error:
            raise UsageError(f"{option}.{error}") from error
