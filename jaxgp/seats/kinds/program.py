"""Kind `program`: genomes, programs or rule lists; in a batch random ones, at the table one that is written out."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from jaxgp.errors import UsageError, reason, rejection
from jaxgp.options import option
from jaxgp.printable import one_line
from jaxgp.seats.options import GenomeOptions

if TYPE_CHECKING:
    from jaxgp.contracts import Opponent
    from jaxgp.games.casting import Cast
    from jaxgp.genotypes.language import Genome
    from jaxgp.players.panel import Create, SearchLimits
    from jaxgp.seats.agents import Agent
    from jaxgp.spec import Hand


@dataclass(kw_only=True)
class ProgramOptions(GenomeOptions):
    """Genomes that did not evolve here."""

    kind: str = option(
        "program", "programs or rule lists: random ones in a panel, one in words at the table", ("program",)
    )
    expression: str | None = option(None, "at the table: the program, as printed in champion.json")
    file: str | None = option(None, "at the table: a file with the program, or a rule on each line", path=True)

    main = "file"
    drives = True

    @property
    def says(self) -> str:
        return f"{self.count} random player{'' if self.count == 1 else 's'}"

    def spread(self, games: int) -> tuple[Self, int]:
        return replace(self, count=games), 1

    def opponent(self, cast: "Cast", create: "Create", games: int, terms: "SearchLimits") -> "Opponent":
        from jaxgp.players.program import ProgramOpponent

        return ProgramOpponent(cast.game, cast.actor, create, self.count, rounds=games)

    def agent(self, option: str, cast: "Cast", champion: object = None) -> "Agent":
        from jaxgp.seats.agents import genome_agent

        genome = self._genome(option, cast)
        return genome_agent(cast, genome, f"program {one_line(Path(self.file).stem)}" if self.file else "program")

    def hand(self, option: str, cast: "Cast", champion: object = None) -> "Hand":
        from jaxgp.spec import Hand

        return Hand(cast.actor, self._genome(option, cast))

    def _genome(self, option: str, cast: "Cast") -> "Genome":
        """Return the genome that is written; raises UsageError if it is not of the game's language."""
        from jaxgp.genotypes import language

        self.check(option, cast)
        text, where = self._read(option)
        try:
            return language.parse(cast.language, text)
        except ValueError as error:
            raise UsageError(f"{where}: {error}") from error

    def _read(self, option: str) -> tuple[str, str]:
        """Return the text of the program, and the option that gives it; raises UsageError."""
        if (self.expression is None) == (self.file is None):
            both = "not both" if self.file else "one of them"
            needs = f'{option}.expression="(...)" or {option}.file=FILE'
            raise UsageError(f"{option}=program: needs {needs}, {both}", option, "program", needs)
        if self.expression is not None:
            return self.expression, f"{option}.expression"
        from jaxgp import reading
        from jaxgp.files import user_path

        accepted, where = "a file with a program, or with a rule on each line", f"{option}.file"
        try:
            return reading.read_text(user_path(where, str(self.file))), f"{where}={self.file}"
        except OSError as error:
            raise rejection(where, self.file, accepted, f"it cannot be read ({reason(error)})") from error
        except ValueError as error:
            raise rejection(where, self.file, accepted, str(error)) from error
