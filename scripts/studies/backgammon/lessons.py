"""Make many lessons of backgammon, judged by GNU Backgammon without look-ahead, and keep them in a file.

python scripts/studies/backgammon/lessons.py lessons=327680 seed=48 save=outputs/backgammon_lessons.npz

A lesson is a position with a roll of a game that the network plays with itself, a tenth of the men moved at random, and
what GNU Backgammon expects after each turn: points, and games won alone. Lessons are made in parts, each of which is
kept in a folder. So what was stopped goes on where the same command is typed again. Needs `pip install -e '.[gnubg]'`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import time
from dataclasses import dataclass

import jax
import numpy as np

from envs.backgammon import lessons, network
from envs.backgammon.lessons import filed
from envs.backgammon.rules import Backgammon
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import RunError, reason
from jaxgp.options import MAX_SEED, option
from jaxgp.run.run import use_compilation_cache

PART = 32_768
"""Lessons of a part."""


@dataclass
class Options:
    """How many lessons, and where they are kept."""

    lessons: int = option(327_680, "lessons", low=1, high=10_000_000)
    seed: int = option(48, "of the games and of what is drawn of them", low=0, high=MAX_SEED)
    part: int = option(PART, "lessons that are made at a time, and kept in a file of their own", low=1, high=PART)
    folder: str = option("outputs/backgammon_lessons", "folder for the parts", path=True)
    save: str = option("outputs/backgammon_lessons.npz", "file for all lessons", path=True)
    compilation_cache: str | None = option("~/.cache/jaxgp", "folder for compiled programs; null: none", path=True)


def task(options: Options) -> int:
    """Make the parts that are missing, and join all."""
    use_compilation_cache(options.compilation_cache)
    save = files.user_path("save", options.save)
    files.check_writable("save", save)
    folder = files.make_directory(files.user_path("folder", options.folder), "folder")
    game = Backgammon()
    judge = lessons.gnubg(game, network.player(game))
    teach = jax.jit(lambda key: lessons.teach(game, judge, key, options.part))
    parts = []
    for number in range(-(-options.lessons // options.part)):
        path = folder / f"{options.seed}_{options.part}_{number}.npz"
        if not path.exists():
            begun = time.process_time()
            made = filed.pack(teach(jax.random.fold_in(jax.random.key(options.seed), number)))
            _keep(path, made)
            arguments.say(
                f"{path.name}: {len(made['change'])} positions, {time.process_time() - begun:.0f} CPU-seconds"
            )
        with np.load(path, allow_pickle=False) as file:
            parts.append({name: file[name] for name in filed.PARTS})
    whole = filed.first(filed.join(parts), options.lessons)
    _keep(save, whole)
    size = save.stat().st_size / 1e6
    print(f"{save}: {len(whole['count'])} lessons, {len(whole['change'])} positions, {size:.1f} MB")
    print(f"SHA-256 of the arrays: {filed.digest(whole)}")
    return 0


def _keep(path: Path, parts: filed.Parts) -> None:
    """Write a file of lessons as a whole, or not at all; raises RunError."""
    beside = path.with_name(f".{path.stem}.part.npz")
    try:
        np.savez_compressed(beside, **parts)  # type: ignore[arg-type]
        beside.replace(path)
    except OSError as error:
        raise RunError(f"{path}: cannot be written ({reason(error)})") from error


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
