"""Which share of the children of a program play better than it does, for each operator of mutation.

    python scripts/studies/measure/children.py runs=[outputs/a] operators=[subtree,insert]
    python scripts/studies/measure/children.py runs=[outputs/a] tree=0 pairs=500 save=children.csv

A child plays a match with its parent. The two games of a pair have the same chance, with the seats changed, so that a
child that plays as its parent does has exactly half of the points. A child is better if the points of its pairs say so:
a t-test on one side, with a false discovery rate of 5 % among the children of one operator (Benjamini and Hochberg).
The best child of each operator, whose games chose it, plays new ones.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass
from typing import TYPE_CHECKING

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError, reject
from jaxgp.operators.options import MutationOptions
from jaxgp.options import MAX_GAMES, MAX_SEED, option
from jaxgp.store.table import CSVTable
from studies import checks

if TYPE_CHECKING:
    from jaxgp.genotypes.programs import Programs
    from studies.measure.matches import Parent

OPERATORS = tuple(MutationOptions().weights)
"""The kinds of mutation."""
BORN = 2
"""What the key of children is folded with; those of their games are 0 and 1."""
COLUMNS = (
    *("run", "tree", "operator", "max_depth", "children", "games", "seed"),
    *("same", "better", "worse", "best", "low", "high", "text"),
)


@dataclass
class Options:
    """The parents, the operators, and the games."""

    runs: list[str] = option([], "parents: run directories or champion files")
    operators: list[str] = option(
        ["subtree", "insert"],
        "kinds of mutation",
        accepted=f"some of {', '.join(OPERATORS)}",
        test=lambda name: name in OPERATORS,
    )
    tree: int | None = option(None, "the tree that changes, from 0; null: any, drawn uniformly", low=0, high=99)
    max_depth: int = option(3, "depth of new subtrees", low=1, high=99)
    children: int = option(128, "children of each operator", low=2, high=4096)
    pairs: int = option(100, "pairs of games of each child with its parent", low=2, high=MAX_GAMES)
    opening: int = option(0, "random moves at the beginning of a pair", low=0, high=1000)
    max_plies: int = option(400, "longer games are stopped and count as they stand", low=1, high=100_000)
    seed: int = option(0, "of children and games", low=0, high=MAX_SEED)
    save: str | None = option(None, "a table that gets a row for each operator", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse no parents, no operators, and one twice; raises UsageError."""
        checks.some_champions(self.runs, prefix)
        checks.once(self, ["operators"])
        if not self.operators:
            reject(f"{prefix}operators", self.operators, f"some of {', '.join(OPERATORS)}")


def families(options: Options) -> "list[tuple[str, Parent, dict[str, Programs]]]":
    """Load the parents, and make the children of each by every operator; raises UsageError."""
    import jax

    from jaxgp.measure import champions
    from studies.measure.matches import Parent

    born = jax.random.fold_in(jax.random.key(options.seed), BORN)
    found = []
    for run in options.runs:
        loaded = champions.load(run, envs, "runs")
        try:
            parent = Parent(loaded, options.pairs, options.opening, options.max_plies)
            children = {
                operator: parent.born(born, operator, options.max_depth, options.tree, options.children)
                for operator in options.operators
            }
        except ValueError as error:
            raise UsageError(f"runs={run}: {error}") from error
        found.append((run, parent, children))
    return found


def task(options: Options) -> int:
    """Make the children, play, add rows, and print a line for each operator."""
    save = CSVTable(files.user_path("save", options.save), COLUMNS) if options.save else None
    if save is not None:
        save.check("save")
    given = {"max_depth": options.max_depth, "tree": options.tree, "seed": options.seed}
    for run, parent, children_of in families(options):
        for operator, children in children_of.items():
            row = {"operator": operator, **parent.study(children, options.seed)}
            if save is not None:
                save.keep([{"run": run, **given, **row}], arguments.say, "save")
            print(
                "{operator}: {better} of {children} children are better, {worse} worse, {same} play alike; "
                "the best has {best:.1%} of the points ({low:.1%} to {high:.1%}) in new games".format(**row)
            )
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
