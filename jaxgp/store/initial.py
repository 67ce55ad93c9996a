"""Programs that a run begins with, read from the champions of other runs: a warm start.

The texts of the programs take the place of the files in the options of the run. So `resume=DIR` goes on where the files
have changed or gone; the run's own command with `resume=auto` still reads them, and has to find the same champions.
"""

from dataclasses import replace
from pathlib import Path

from jaxgp import options
from jaxgp.config.schema import Config
from jaxgp.errors import reject
from jaxgp.evolution.options import GPOptions
from jaxgp.files import user_path
from jaxgp.schemes.cma import CMAOptions
from jaxgp.store import champion
from jaxgp.store.champion import LINES, ChampionError
from jaxgp.store.directory import RunDirectory

OPTION = "algorithm.initial"


def with_texts(config: Config) -> Config:
    """Return the options of a run with programs in place of the champions that `algorithm.initial` names.

    An entry names a run directory, a champion file, one champion of several, FILE.jsonl#SEED, or all of FILE.jsonl.
    Other entries are programs already.

    Raises:
        UsageError: a file cannot be read, its champion is no program, or another option of the algorithm is wrong.
    """
    algorithm = config.algorithm
    if not isinstance(algorithm, GPOptions | CMAOptions) or not algorithm.initial:
        return config
    # A copy of options is checked anew, and does not know where it stands: messages would name options in part.
    options.check(algorithm, "algorithm.")
    texts = [text for entry in algorithm.initial for text in _texts(entry)]
    return replace(config, algorithm=replace(algorithm, initial=texts))


def _texts(entry: str) -> list[str]:
    """Return the programs that an entry stands for."""
    path = _file(entry)
    if path is None:
        return [entry]
    try:
        found = [champion.read(one) for one in champion.members(path)]
    except ChampionError as error:
        reject(OPTION, entry, f"a program, or a champion ({error})")
    for one in found:
        if one.language["kind"] != "program":
            reject(OPTION, entry, f"champions that are programs; of these one is {one.language['kind']}")
    return [one.text for one in found]


def _file(entry: str) -> Path | None:
    """Return the champion file that an entry names; None: it is a program, none of which ends as such names do."""
    if "(" in entry:
        return None
    path = user_path(OPTION, entry)
    if path.is_dir():
        return RunDirectory(path).champion
    return path if path.name.partition("#")[0].endswith((".json", LINES)) else None
