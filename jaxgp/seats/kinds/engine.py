"""Kind `engine`: a program outside the project, in a process of its own."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jaxgp.errors import RunError, UsageError
from jaxgp.options import MAX_SECONDS, option
from jaxgp.printable import one_line
from jaxgp.seats.options import PlayerOptions

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.seats.agents import Agent


@dataclass(kw_only=True)
class EngineOptions(PlayerOptions):
    """An engine outside; it measures champions and plays at the table, and trains nobody."""

    kind: str = option("engine", "a program outside the project", ("engine",))
    protocol: str = option("gtp", "what it speaks: the Go Text Protocol", ("gtp",))
    command: str = option("", "the program and its options")
    timeout: float = option(
        120.0, "how long it may take for a move", low=0, high=MAX_SECONDS, above=True, unit="seconds"
    )

    main = "command"
    words = ("protocol", "command")
    measures = True

    @property
    def bound(self) -> bool:
        return True

    @property
    def says(self) -> str:
        return f"the engine {self.command}"

    def unfit(self, cast: "Cast") -> str:
        mute = cast.spec.dialect is None or cast.game.chance
        return super().unfit(cast) or (f"no engine outside plays {cast.game.name}" if mute else "")

    def check(self, option: str, cast: "Cast") -> None:
        super().check(option, cast)
        if not self.command:
            needs = f'{option}.command="PROGRAM OPTIONS"'
            raise UsageError(f"{option}=engine: needs {needs} as well", option, "engine", needs)

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
        from jaxgp.seats.gtp import EngineError, gtp_agent

        self.check(option, cast)
        assert cast.spec.dialect is not None, "see `unfit`"
        try:
            made = gtp_agent(cast.game, cast.spec.dialect(cast.game), self.command, self.timeout)
            return replace(made, name=one_line(made.name))
        except EngineError as error:
            raise RunError(str(error)) from error
        except ValueError as error:
            raise UsageError(f"{option}.{error}") from error
