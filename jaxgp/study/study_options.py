"""The options of studies: a factorial design, its groups at their optima, comparisons of groups, sweeps, curves."""

from dataclasses import dataclass
from typing import Any

from jaxgp.errors import UsageError
from jaxgp.options import MAX_FITNESS, MAX_SEED, option
from jaxgp.study.design import GOALS, MAX_TRIALS, RESPONSES

MAX_BATCH = 4096
STUDY = ("pandas", "statsmodels")
"""What studies and sweeps need of the extra `study`; a run needs none of it."""
CURVES = ("points", "fitness", "first", "second", "size", "mean_size", "beaten")
"""Measures of a generation whose curves are shown; `jaxgp.study.curves.COLUMNS` says what they are."""
ANALYSES = (
    "design",
    "tuned",
    "comparison",
    "sweep",
    "curves",
    "program",
    "emergence",
    "searches",
    "portfolio",
    "schedule",
)
"""All that scripts/analyse.py does."""


@dataclass
class DesignOptions:
    """A full factorial design: what is varied, and how it is carried out."""

    analysis: str = option("design", "what to do; design: a factorial design of runs, its model and optimum", ANALYSES)
    design: str | None = option(
        None, "a design by its name in conf/design, or a file; null: only what is given here", path=True
    )
    base: list[str] = option([], "options of scripts/train.py for all runs, as in [game=mancala], or [game=FOLDER]")
    groups: dict[str, Any] = option({}, "NAME=[options]: groups with a model each; null drops one of the design")
    factors: dict[str, Any] = option(
        {}, "NAME=[levels], NAME an option of scripts/train.py; or NAME.levels and NAME.options; null drops one"
    )
    replicates: int | None = option(
        None, "runs of each combination; null: as the design says, else 1", low=1, high=MAX_TRIALS
    )
    seed: int | None = option(
        None, "of the random order and the first run; null: as the design says, else 0", low=0, high=MAX_SEED
    )
    response: str | None = option(None, "what the model explains; null: as the design says, else fitness", RESPONSES)
    goal: str | None = option(None, "whether its maximum or minimum is wanted; null: maximum", GOALS)
    runs: str | None = option(
        None, "folder of runs that scripts/train.py made of this design, instead of running it", path=True
    )
    plan: bool = option(False, "stop when everything is checked and commands.txt is written")
    batch: int = option(1, "runs alike that are computed side by side; for GPUs", low=1, high=MAX_BATCH)
    parquet: bool = option(False, "write the table as Parquet as well; needs pyarrow")
    output: str | None = option(None, "directory for results; null: outputs/analysis/DESIGN", path=True)


@dataclass
class TunedOptions:
    """Many runs of each group of a design at the optimum of its model, and a comparison of the groups."""

    analysis: str = option("tuned", "what to do; tuned: runs of each group of a study at its optimum, compared")
    study: str | None = option(None, "output of analysis=design", path=True)
    base: list[str] = option([], "more options of scripts/train.py for all runs")
    replicates: int = option(50, "runs of each group", low=2, high=MAX_TRIALS)
    seed: int | None = option(
        None, "of the random order and the first run; null: after those of the study", low=0, high=MAX_SEED
    )
    plan: bool = option(False, "stop when everything is checked and commands.txt is written")
    batch: int = option(1, "runs alike that are computed side by side; for GPUs", low=1, high=MAX_BATCH)
    parquet: bool = option(False, "write the table as Parquet as well; needs pyarrow")
    output: str | None = option(None, "directory for results; null: tuned, in the study", path=True)


@dataclass
class ComparisonOptions:
    """Two groups of runs that were made before."""

    analysis: str = option("comparison", "what to do; comparison: two groups of runs against each other")
    a: str | None = option(None, "a folder of run directories; with table, a value of the column")
    b: str | None = option(None, "another one")
    table: str | None = option(None, "a table of results (CSV, JSONL, Parquet, or the folder of a study)", path=True)
    column: str = option("group", "of the table: the column that tells the groups apart")
    measures: list[str] = option(["fitness", "seconds"], "what is compared: columns of numbers")
    seed: int = option(0, "of the bootstrap", low=0, high=MAX_SEED)
    output: str | None = option(None, "directory for results; null: outputs/analysis/comparison", path=True)


@dataclass
class SweepOptions:
    """The runs of a sweep, by setting; some may still be going on."""

    analysis: str = option("sweep", "what to do; sweep: its runs by what distinguishes their options")
    sweep: str | None = option(None, "the folder of a sweep, as hydra.sweep.dir of scripts/train.py", path=True)
    measure: str = option("fitness", "by which settings are compared", RESPONSES)
    seed: int = option(0, "of the bootstrap", low=0, high=MAX_SEED)
    output: str | None = option(None, "directory for results; null: the sweep itself", path=True)


@dataclass
class CurvesOptions:
    """Learning curves of groups of runs, and the evaluations that they need for targets."""

    analysis: str = option("curves", "what to do; curves: means over seeds with bands, and expected running times")
    runs: list[str] = option([], "folders with run directories in them; runs with one title are a group")
    table: str | None = option(
        None, "a CSV file of generations: it gets the rows of `runs`, and all its runs are shown; null: none", path=True
    )
    titles: list[str] = option([], "the groups that are shown, by their titles; none: all")
    measure: str = option("points", "what is shown; of all but sizes the best so far", CURVES)
    targets: tuple[float, ...] = option(
        (), "values of the measure whose expected running time is wanted", low=-MAX_FITNESS, high=MAX_FITNESS
    )
    seed: int = option(0, "of the bootstrap", low=0, high=MAX_SEED)
    output: str = option("outputs/analysis/curves", "directory for results", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse an analysis of nothing; raises UsageError."""
        if not self.runs and self.table is None:
            raise UsageError(f"{prefix}runs: which ones? Write runs=[FOLDER,...], or table=FILE with runs in it")
