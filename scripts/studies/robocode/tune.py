"""Tune the constants of a robot's program by CMA-ES.

python scripts/studies/robocode/tune.py champion=docs/data/champions/robocode_islands.json save=tuned.json
python scripts/studies/robocode/tune.py champion=FILE text="(PROGRAM (Mul 70.0 (Fire 3.0)) 15.0 Zero)" save=tuned.json

With `text` another program is tuned, one written by hand for instance, in the language of the champion. Fitness is the
mean F over the adversaries, of all individuals in the same battles, which each generation begins anew. The program that
is saved is the mean of the distribution at the end.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import dataclasses
from dataclasses import dataclass

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError, reject, rejection
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_POPULATION, MAX_SEED, option

LEAST = 1.0
"""How far each constant may move at least, from where it is."""


@dataclass
class Options:
    """Whose constants are tuned, and how long."""

    champion: str | None = option(None, "a run directory or a champion file", path=True)
    text: str | None = option(None, "the program that is tuned; null: that of the champion")
    adversaries: list[str] = option(
        ["haiku.HaikuPoet", "haiku.HaikuWalls", "sample.Walls"], "robots written by hand that it fights"
    )
    reach: float = option(0.5, "how far each constant may move, as a share of it", low=0.01, high=10)
    battles: int = option(4, "with each adversary in a generation", low=1, high=MAX_GAMES)
    rounds: int = option(2, "of a battle", low=1, high=1000)
    turns: int = option(1500, "after which a round is scored as it stands", low=100, high=100_000)
    population: int = option(24, "individuals of a generation", low=5, high=MAX_POPULATION)
    generations: int = option(100, "of the search", low=1, high=MAX_COUNT)
    seed: int = option(0, "of the search", low=0, high=MAX_SEED)
    save: str = option("tuned.json", "file of the tuned program", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse to tune nobody, and unknown adversaries; raises UsageError."""
        from envs.robocode.bots.samples import NAMES

        if not self.champion:
            raise UsageError(f"{prefix}champion: whose constants? Write champion=FILE")
        if not self.adversaries:
            reject(prefix + "adversaries", self.adversaries, f"some of {', '.join(NAMES)}")
        for name in self.adversaries:
            if name not in NAMES:
                reject(prefix + "adversaries", name, ", ".join(NAMES))


def task(options: Options) -> int:
    """Tune, print the program, and write it."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from envs.robocode.roles import make
    from jaxgp.fitness.roller import Roller
    from jaxgp.fitness.rollout import Shares, number_of
    from jaxgp.genotypes import language as languages
    from jaxgp.measure import champions
    from jaxgp.store import champion as files_of_champions
    from studies import tuning

    settings = {"rounds": options.rounds, "turns": options.turns}
    one = champions.load(str(options.champion), envs, "champion", settings)
    language, game = one.cast.language, one.cast.game
    try:
        genome = one.genome if options.text is None else languages.parse(language, options.text)
    except ValueError as error:
        raise rejection("text", options.text, "a program in the language of the champion", str(error)) from error
    it = tuning.numbers(language, genome)
    if not len(it.constants):
        reject("champion", options.champion, "a program with constants")
    limit = one.content.program["constants"]
    reach = np.maximum(options.reach * np.abs(it.constants), min(LEAST, limit))
    low, high = np.maximum(it.constants - reach, -limit), np.minimum(it.constants + reach, limit)
    names = options.adversaries
    roller = Roller(game, one.player, tuple((make(name, game),) for name in names))
    share = Shares(number_of(game, "score"), 0.0, len(names))

    def fitness(constants: jax.Array, key: jax.Array) -> jax.Array:
        keys = jnp.repeat(jax.random.split(key, options.battles), len(names))
        measures = roller.measure(roller.driver.prepare(it.programs(constants)), keys).measures
        return jax.vmap(share)(measures).mean(1)

    found = tuning.search(fitness, low, high, options.population, options.generations, options.seed)
    text = languages.to_text(language, jax.tree.map(lambda x: x[0], it.programs(jnp.asarray(found)[None])))
    print(text)
    content = dataclasses.replace(one.content, text=text, title=f"{one.content.title}, tuned")
    if options.text is not None:
        tree = languages.parse(language, text)
        size, depth = int(languages.sizes(tree)), languages.depth(tree)
        content = dataclasses.replace(content, size=size, depth=depth, title="Robocode, written by hand, tuned")
    files_of_champions.write(files.user_path("save", options.save), content)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
