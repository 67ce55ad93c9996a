"""Options of tuning. Importing this does not import JAX."""

from dataclasses import dataclass

from jaxgp.options import MAX_WEIGHT, Checked, option

MAX_STEPS = 10_000


@dataclass
class TuneOptions(Checked):
    """Steps of a gradient method on all real constants and factors of each program, before it is measured."""

    steps: int = option(
        0,
        "steps of Adam that an individual takes in each generation, before it is measured; 0: none",
        low=0,
        high=MAX_STEPS,
    )
    rate: float = option(0.1, "how far the first step changes a number, at most", low=0, high=MAX_WEIGHT, above=True)
    decay: float = option(
        1.0,
        "the rate of the last step, as a share of that of the first; it falls by the same factor each step",
        low=0,
        high=1,
        above=True,
    )
    clip: float | None = option(
        None, "the greatest norm of the gradient of an individual; null: any", low=0, high=MAX_WEIGHT, above=True
    )
    share: float = option(
        1.0, "share of the individuals that take steps, drawn anew in each generation", low=0, high=1, above=True
    )
    inherit: str = option(
        "lamarck",
        "lamarck: children inherit what their parents have learned; baldwin: they inherit what their parents were born "
        "with, and parents are selected by what they have learned",
        ("lamarck", "baldwin"),
    )

    @property
    def reborn(self) -> bool:
        """Whether individuals learn, and their children begin anew."""
        return self.steps > 0 and self.inherit == "baldwin"

    def rows(self, inherited: bool = True) -> list[tuple[str, str]]:
        """Return the row of the parameter table, with what children inherit if there are any; none without steps."""
        if not self.steps:
            return []
        who = "every individual" if self.share == 1 else f"{100 * self.share:g} % of the individuals"
        falls = "" if self.decay == 1 else f", falling to {self.rate * self.decay:g}"
        norm = "" if self.clip is None else f", gradients clipped at a norm of {self.clip:g}"
        heirs = "inherit what was learned" if self.inherit == "lamarck" else "do not inherit what was learned"
        said = f"{who} takes {self.steps} steps of Adam before it is measured, rate {self.rate:g}{falls}{norm}"
        return [("tuning of constants", f"{said}; children {heirs}" if inherited else said)]
