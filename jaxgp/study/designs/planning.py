"""From the command line to the runs of a study: everything is checked before anything is computed."""

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jaxgp import reading
from jaxgp.checks.values import whole
from jaxgp.config import validate
from jaxgp.config.compose import Composer, Placed, name_folder
from jaxgp.config.quoting import quote_for_shell
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError, reason, reject, show
from jaxgp.files import user_path
from jaxgp.games.outside import Games
from jaxgp.kinds import CandidatesFitnessOptions
from jaxgp.options import MAX_SEED, find_changed, own
from jaxgp.report.waiting import waiting
from jaxgp.study import results
from jaxgp.study.design import Cell, Design, read, words
from jaxgp.study.designs.model import fit_groups
from jaxgp.study.results import TrialConfig
from jaxgp.study.study_options import ComparisonOptions, DesignOptions, TunedOptions

OUTPUTS = "outputs/analysis"
DESIGN = "design.json"


@dataclass(frozen=True)
class DesignPlan:
    """A design that has been checked.

    Attributes:
        design: the design.
        pairs: every run with its configuration, in the order of the runs.
        output: directory for results.
        games: where games come from.
        folders: folders of games outside the project that the design names.
        own: options of all runs that no design may set, as they were typed.
    """

    design: Design
    pairs: Sequence[TrialConfig]
    output: Path
    games: Games
    folders: Sequence[Path] = ()
    own: Sequence[str] = ()

    @property
    def digest(self) -> str:
        """Return a digest of everything that changes the runs, 16 hexadecimal digits."""
        text = json.dumps([(trial.number, trial.seed, results.digest(config)) for trial, config in self.pairs])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def plan_design(options: DesignOptions, config_dir: Path, games: Games) -> DesignPlan:
    """Read the design and check the options of every cell.

    Raises:
        UsageError: the first mistake.
    """
    content = load_file(options.design, config_dir / "design") if options.design is not None else {}
    base, typed = _typed(options.base, games)
    design = read(merge_design(content, replace(options, base=base.overrides)))
    if options.parquet:
        results.check_parquet()
    return _plan(design, config_dir, base, where(options, options.design), typed)


def _typed(base: Sequence[str], games: Games) -> tuple[Placed, list[str]]:
    """Split the options of all runs, as typed, into those that a design holds and those that no file may set."""
    typed = [word for word in base if word.partition("=")[0] in own(Config)]
    return name_folder([word for word in base if word not in typed], games), typed


def merge_design(content: Mapping[str, object], options: DesignOptions) -> dict[str, object]:
    """Return the content of a design file, with the options of the command line replacing or extending its entries."""
    base = content.get("base") or []
    made = {**content, "base": [*base, *options.base] if isinstance(base, list) else base}
    for name, given in (("groups", options.groups), ("factors", options.factors)):
        there = content.get(name) or {}
        if isinstance(there, Mapping):
            made[name] = {key: value for key, value in {**there, **given}.items() if value is not None}
    scalars = {name: getattr(options, name) for name in ("replicates", "seed", "response", "goal")}
    return made | {name: value for name, value in scalars.items() if value is not None}


def plan_tuned(options: TunedOptions, config_dir: Path, games: Games) -> DesignPlan:
    """Take the optimum of each group of a study, and check the options of its runs.

    Raises:
        UsageError: the first mistake.
    """
    if options.study is None:
        reject("study", None, "the output of analysis=design")
    folder = user_path("study", options.study)
    studied = load_design(folder, "study")
    frame = results.load(folder)
    if len(frame) < studied.size:
        raise UsageError(f"study={folder}: {len(frame)} of {studied.size} runs are done; go on with them first")
    if len(studied.groups) < 2:
        reject("study", folder, "a study of two groups or more, to be compared")
    if not studied.factors:
        reject("study", folder, "a study with factors")
    seed = studied.seed + studied.size if options.seed is None else options.seed
    whole("seed", seed, 0, MAX_SEED - options.replicates * len(studied.groups))
    if options.parquet:
        results.check_parquet()
    base, typed = _typed(options.base, games)
    words("base", base.overrides)
    groups = {}
    for group, found in fit_groups(frame, studied).items():
        if isinstance(found, str):
            raise UsageError(f"study={folder}: group {group} has no model: {found}")
        [cell] = [c for c in studied.cells() if (c.group, c.levels) == (group, found.best_cell.levels)]
        groups[group] = (*cell.overrides, *base.overrides)
    title = f"{studied.title or 'Factorial design'}: the tuned groups"
    design = replace(studied, factors=(), groups=groups, replicates=options.replicates, seed=seed, title=title)
    output = user_path("output", options.output) if options.output else folder / "tuned"
    return _plan(design, config_dir, base, output, typed)


def where(options: DesignOptions | ComparisonOptions, name: str | None = None) -> Path:
    """Return the directory for results."""
    return user_path("output", options.output or f"{OUTPUTS}/{Path(name or options.analysis).stem}")


def load_file(name: str, folder: Path) -> dict[str, object]:
    """Read a design file, by its name or its path."""
    path = folder / f"{name}.yaml" if not name.endswith(".yaml") else user_path("design", name)
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in folder.glob("*.yaml")))
        reject("design", name, f"{known}, or the path of a file .yaml")
    try:
        content = reading.read_yaml(path)
    except OSError as error:
        raise UsageError(f"design={name}: cannot be read ({reason(error)})") from error
    except ValueError as error:
        raise UsageError(f"design={name}: cannot be read ({error})") from error
    if not isinstance(content, dict):
        raise UsageError(f"design={name}: {path} is not a design; it needs factors")
    return {str(key): value for key, value in content.items()}


def _plan(design: Design, config_dir: Path, base: Placed, output: Path, typed: Sequence[str]) -> DesignPlan:
    """Compose and check the configuration of every cell."""
    configs: dict[Cell, Config] = {}
    cells = design.cells()
    checking = waiting(f"Checking {len(cells)} combinations")
    with checking, Composer(Config, config_dir, "config", base.folders) as composer:
        for cell in cells:
            try:
                config = configs[cell] = validate.check(composer.compose((*cell.overrides, *typed)), base.games)
                if isinstance(config.fitness, CandidatesFitnessOptions):
                    for name in find_changed(config.fitness, ("candidates", "population_again")):
                        why = "the runs of a study name their champions without new games"
                        reject(f"fitness.{name}", getattr(config.fitness, name), f"its default; {why}")
            except UsageError as error:
                raise UsageError(f"{error} ({_said(design, cell)})") from error
    pairs = [(trial, replace(configs[trial.cell], seed=trial.seed)) for trial in design.trials()]
    return DesignPlan(design, pairs, output, base.games, base.folders, typed)


def _said(design: Design, cell: Cell) -> str:
    """Say which runs of a design a cell stands for, by what set their options."""
    levels = zip(design.factors, cell.levels, strict=True)
    return ", ".join([f"in groups.{cell.group}", *(f"factors.{one.name}={show(level)}" for one, level in levels)])


def load_design(folder: Path, option: str) -> Design:
    """Return the design whose results a folder holds; raises UsageError, which names the option of the folder."""
    content, _ = read_noted(folder, option)
    try:
        return read(content)
    except UsageError as error:
        raise UsageError(f"{option}={show(folder)}: {DESIGN}: {error}") from error


def read_noted(folder: Path, option: str) -> tuple[Mapping[str, object], str]:
    """Return the design that a folder was made for, as `read` takes it, and its digest; raises UsageError."""
    path = folder / DESIGN
    try:
        content = reading.read_json(path)
        return dict(content["design"]), str(content["digest"])
    except FileNotFoundError as error:
        raise UsageError(f"{option}={show(folder)}: not the output of a design (it has no {DESIGN})") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{option}={show(folder)}: {DESIGN} cannot be read as a design") from error


def commands(plan: DesignPlan) -> list[str]:
    """Return a command for each run, in the order of the runs, for machines that share the work."""
    places = {f"game={folder.name}": f"game={folder}" for folder in plan.folders}
    said = []
    for trial, _ in plan.pairs:
        run = plan.output / "runs" / f"{trial.number:04}"
        options = [places.get(one, one) for one in trial.overrides]
        words = " ".join(shlex.quote(word) for word in (*options, *plan.own, "logger=disabled"))
        said.append(f"python scripts/train.py {words} {quote_for_shell('hydra.run.dir', run)}")
    return said
