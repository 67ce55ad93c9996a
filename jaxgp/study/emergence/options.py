"""The options of `analysis=emergence`. Imports no JAX, as all options."""

from dataclasses import dataclass
from typing import Any

from jaxgp.config.games import OF_CHAMPIONS, SPLITS
from jaxgp.errors import reject
from jaxgp.options import DEEPEST, MAX_CORES, MAX_COUNT, MAX_GAMES, MAX_SEED, option

EMERGENCE = "emergence"
"""The directory for results, beside the champion."""
MEASURED = ("single", "disabled", "moves", "reduced")
"""Parts that need games, decisions or positions alone."""
EVOLVED = ("without", "pairs", "groups")
"""Parts that evolve players anew."""
PARTS = (*MEASURED, *EVOLVED)
STRENGTH = ("single", "disabled", "without")
"""Parts that strength is the mean of."""
RANKED = ("pairs", "groups")
"""Parts that take the strongest terminals."""
WAYS = ("zero", "random", "elsewhere")


@dataclass
class EmergenceOptions:
    """Where the strength of a champion sits: in its terminals, in few of them together, or in the whole."""

    analysis: str = option("emergence", "what to do; emergence: where the strength of a champion sits")
    run: str | None = option(None, "a run directory with a champion.json, such a file, or FILE.jsonl#SEED", path=True)
    game: dict[str, Any] = option({"name": None}, OF_CHAMPIONS)
    parts: list[str] = option(list(MEASURED), f"what is measured: {', '.join(PARTS)}")
    others: list[str] = option([], "further champions of the game, whose terminals are disabled, too")
    terminals: list[str] = option([], "the terminals that are measured, by name; none: all of them")
    ways: list[str] = option(
        list(WAYS),
        "what takes the place of a disabled terminal; zero; random: one of the values that it takes, each as often; "
        "elsewhere: its value at another position",
    )
    panel: str = option("standard", "opponents that games are played against, as in scripts/evaluate.py")
    against: list[str] = option([], "its members that are met; none: all")
    games: int = option(250, "against each opponent, from each seat", low=2, high=MAX_GAMES)
    opening_plies: int | None = option(
        None,
        "random moves at the beginning of each game; null: 6 where all games would be alike, else 0",
        low=0,
        high=40,
    )
    decisions: int = option(
        2000,
        "decisions judged by the game's teacher, where it has one and programs can learn; 0: none",
        low=0,
        high=MAX_COUNT,
    )
    suite: str | None = option(
        None, "instances of a puzzle: a suite of it, or a file of instances; null: all suites of the game"
    )
    split: str = option("test", "test: the instances that no evolution may see; train: the others", SPLITS)
    limit: int | None = option(
        None,
        "nodes at which a search of a puzzle gives up; null: those of the champion's role",
        low=2,
        high=MAX_COUNT,
    )
    depth: int | None = option(
        None, "plies of a champion that searches; null: those that it was evolved with", low=1, high=DEEPEST
    )
    positions: int = option(1000, "moves, reduced: real positions", low=2, high=100_000)
    plies: int = option(6, "moves: of a game of the champion with itself that is written in full", low=0, high=200)
    truth: int = option(
        4, "moves: plies of the search that values moves where the game has no teacher", low=1, high=DEEPEST
    )
    replicates: int = option(3, "without, pairs, groups: runs of each kind", low=1, high=MAX_COUNT)
    generations: int | None = option(
        None, "without, pairs, groups: of each run; null: as many as that of the champion", low=1, high=MAX_COUNT
    )
    pair_depth: int = option(4, "pairs: depth limit of the programs", low=1, high=30)
    best: int = option(
        7, "pairs: how many terminals, by strength so far; by `terminals` where they are named", low=2, high=50
    )
    step: int = option(5, "groups: by how many terminals a group is larger than the one before", low=1, high=100)
    seed: int = option(0, "of games, decisions, positions and runs", low=0, high=MAX_SEED)
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    output: str | None = option(None, "directory for results; null: emergence, beside the champion", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse unknown parts and ways; raises UsageError."""
        for name, known in (("parts", PARTS), ("ways", WAYS)):
            given = getattr(self, name)
            if not given or set(given) - set(known) or len(set(given)) < len(given):
                reject(prefix + name, given, f"some of {', '.join(known)}, each once")
