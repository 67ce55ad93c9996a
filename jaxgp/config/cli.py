"""The command line of `scripts/train.py`: Hydra's, with every mistake told in one line and exit code 2.

Nothing is written before the options of every job have been composed and checked. Hydra's own behaviour stays for
`option=value`, groups, `-m` sweeps, launchers, `hydra.run.dir`, `--cfg job`, `--info`.
"""

import argparse
import copy
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

import hydra
from hydra.conf import HydraConf
from hydra.core.config_loader import ConfigLoader
from hydra.core.hydra_config import HydraConfig
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn, configure_log, run_job
from hydra.types import HydraContext, RunMode
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from jaxgp import files, terminal
from jaxgp.config import compose, places, quoting
from jaxgp.config.arguments import settle
from jaxgp.config.launching import members, sweepers
from jaxgp.config.launching.chosen import choose_launcher, refuse_without_sweep
from jaxgp.config.launching.members import AnyPlan, Members, SweepMember
from jaxgp.config.mistakes import COMPOSITION_ERRORS, composition_error, first_line
from jaxgp.config.quoting import quote
from jaxgp.errors import RunError, UsageError, complain, reason, reject, tell
from jaxgp.terminal import lenient

if TYPE_CHECKING:
    from jaxgp.games.outside import Games

INFORMATION = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")
"""What Hydra can tell of itself."""
Schema = TypeVar("Schema")


class Command(Generic[Schema, AnyPlan]):
    """One script: how its options become a plan, and what is done with a plan.

    Args:
        schema: dataclass of the options.
        games: where games come from; `game=FOLDER` adds one.
        plan: (typed config, overrides as typed, output directory, games) -> what to do. Raises UsageError; writes
            nothing. A plan with an attribute `directory` moves the job's output directory there.
        task: (plan, games) -> the exit code. Raises UsageError or RunError. It may run in another process.
        describe: (typed config, config groups and their choices, games) -> what `--help` prints. Raises UsageError.
        complete: (overrides as typed, games) -> these and others that they imply.
        swept: (directory of a sweep) -> nothing; called when all its members have ended, well or not.
        finished: (plan) -> whether all is computed.
        is_idle: (plan) -> whether nothing is left to do, so that a sweep passes over this member.
        score: (plan of a job that has ended well) -> what a sweeper that searches optimises. Raises RunError.

    Attributes:
        kinds: the options that name kinds outside the project, and the folders of these.
    """

    def __init__(
        self,
        schema: type[Schema],
        games: "Games",
        plan: Callable[[Schema, Sequence[str], Path, "Games"], AnyPlan],
        task: Callable[[AnyPlan, "Games"], int],
        describe: Callable[[Schema, dict[str, list[str]], "Games"], str],
        complete: Callable[[Sequence[str], "Games"], Sequence[str]] = lambda overrides, games: overrides,
        swept: Callable[[Path], None] = lambda directory: None,
        finished: Callable[[AnyPlan], bool] = lambda plan: False,
        is_idle: Callable[[AnyPlan], bool] = lambda plan: False,
        score: Callable[[AnyPlan], float] = lambda plan: 0.0,
    ) -> None:
        self.schema = schema
        self.games = games
        self.plan = plan
        self.task = task
        self.describe = describe
        self.complete = complete
        self.swept = swept
        self.finished = finished
        self.is_idle = is_idle
        self.score = score
        self.kinds: Sequence[tuple[str, Path]] = ()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the kinds from their folders, in the process of a member of a sweep as in that of the sweep."""
        vars(self).update(state)
        for option, folder in self.kinds:
            compose.add_kind(option, folder)

    def prepare(self, config: DictConfig, directory: Path) -> AnyPlan:
        """Type the composed options and make the plan; raises UsageError."""
        overrides = _overrides(config.hydra)
        return self.plan(compose.read_options(self.schema, config, overrides), overrides, directory, self.games)

    def __call__(self, config: DictConfig) -> int:
        """Run one job; Hydra calls this, in this process or on another machine. Returns the exit code."""
        about = HydraConfig.get()
        terminal.over()  # what computes is imported
        try:
            overrides = _overrides(about)
            made = compose.read_options(self.schema, config, overrides)
            directory = Path(str(about.runtime.output_dir))
            return self.task(self.plan(made, overrides, directory, self.games), self.games)
        except Exception as error:
            if (code := tell(error)) is None:
                raise
            return code


def main(
    command: Command[Schema, AnyPlan], config_dir: Path, config_name: str, argv: Sequence[str] | None = None
) -> NoReturn:
    """Run a script and exit: 0 done, 1 the run failed, 2 the options are wrong, 128 + signal when stopped.

    Args:
        command: the script's work.
        config_dir: the config tree, wherever the working directory is.
        config_name: the primary config in it, without `.yaml`.
        argv: the arguments; by default those of the process.
    """
    with terminal.heard(), terminal.Interrupts() as interrupts, lenient() as (out, progress):
        code = _code(command, config_dir, config_name, argv, interrupts)
        if (failure := out.settle()) is not None:
            # A log that could not be written is no failure of the run, whose results are files.
            print(f"warning: standard output: {reason(failure)}", file=sys.stderr, flush=True)
        progress.settle()
    sys.exit(code)


def _code(
    command: Command[Schema, AnyPlan],
    config_dir: Path,
    config_name: str,
    argv: Sequence[str] | None,
    interrupts: terminal.Interrupts,
) -> int:
    """Run a script; return its exit code."""
    try:
        args = _parser().parse_intermixed_args(argv)
        args.multirun = args.multirun or _asks_for_sweep(args.overrides)
        placed = compose.name_folder(args.overrides, command.games, args.multirun)
        command.games, command.kinds = placed.games, placed.kinds
        completed = command.complete(placed.overrides, placed.games)
        args.overrides = [compose.adapt_override(command.schema, one, args.multirun) for one in completed]
        words = f"{quoting.trains(shlex.quote(sys.argv[0]))} {shlex.join(sys.argv[1:] if argv is None else argv)}"
        return _dispatch(command, config_dir.resolve(), args.config_name or config_name, args, placed.folders, words)
    except (Exception, KeyboardInterrupt) as error:
        return settle(error, interrupts)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see --help")


def _parser() -> argparse.ArgumentParser:
    """Read Hydra's own flags; those that only show something are passed on to it."""
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("overrides", nargs="*")
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--multirun", "-m", action="store_true")
    parser.add_argument("--run", "-r", action="store_true")
    parser.add_argument("--config-dir", "-cd")
    parser.add_argument("--config-name", "-cn")
    parser.add_argument("--cfg", "-c", choices=("job", "hydra", "all"))
    parser.add_argument("--package", "-p")
    parser.add_argument("--resolve", action="store_true")
    parser.add_argument("--info", "-i", nargs="?", const="all", choices=INFORMATION)
    for name in ("--hydra-help", "--version"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--shell-completion", "-sc", action="store_true")
    return parser


def _dispatch(
    command: Command[Schema, AnyPlan],
    config_dir: Path,
    config_name: str,
    args: argparse.Namespace,
    outside: Sequence[Path],
    again: str,
) -> int:
    first = [_existing(args.config_dir or "")] if args.config_dir is not None else []
    with compose.loader(command.schema, config_dir, first, outside) as loader:
        if args.help:
            config = compose.compose(command.schema, loader, config_name, args.overrides)
            found = {group: loader.get_group_options(group) for group in groups(config)}
            described = compose.read_options(command.schema, config, args.overrides)
            print(command.describe(described, found, command.games), flush=True)
            return 0
        if args.cfg:
            config = compose.compose(command.schema, loader, config_name, args.overrides)
            compose.read_options(command.schema, config, args.overrides)
        elif not (args.hydra_help or args.version or args.shell_completion or args.info):
            if args.multirun:
                return _sweep(command, loader, config_name, args.overrides, again)
            return _single(command, loader, config_name, args.overrides)
        return _show(command, config_dir, config_name, args)


def groups(config: DictConfig) -> list[str]:
    """Return the config groups that a composed configuration chooses from, without Hydra's own."""
    return [group for group in map(str, config.hydra.runtime.choices) if not group.startswith("hydra/")]


def _existing(folder: str) -> Path:
    path = files.user_path("--config-dir", folder).absolute()
    if not path.is_dir():
        raise UsageError(f"--config-dir={folder}: no such directory")
    return path


def _show(command: Command[Schema, AnyPlan], config_dir: Path, config_name: str, args: argparse.Namespace) -> int:
    """Let Hydra print the configuration or information about itself."""
    flags = [f"--{name}={value}" for name in ("cfg", "package", "info") if (value := getattr(args, name)) is not None]
    switches = ("resolve", "hydra_help", "version", "shell_completion")
    flags += ["--" + name.replace("_", "-") for name in switches if getattr(args, name)]
    before = sys.argv, os.environ.get("HYDRA_FULL_ERROR")
    sys.argv = [before[0][0], *flags, *args.overrides]
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors arrive here as exceptions
    compose.GlobalHydra.instance().clear()
    try:
        hydra.main(version_base="1.3", config_path=str(config_dir), config_name=config_name)(_nothing)()
    except COMPOSITION_ERRORS as error:
        if args.shell_completion:
            accepted = f"install=SHELL, uninstall=SHELL or query=SHELL beside it ({first_line(error)})"
            raise UsageError(f"--shell-completion, -sc: accepted: {accepted}") from error
        raise composition_error(command.schema, error, args.overrides) from error
    finally:
        sys.argv = before[0]
        if before[1] is None:
            del os.environ["HYDRA_FULL_ERROR"]
        else:
            os.environ["HYDRA_FULL_ERROR"] = before[1]
    return 0


def _nothing(config: DictConfig) -> None:
    """Do nothing: the task of a script that only prints information."""


def _asks_for_sweep(overrides: Sequence[str]) -> bool:
    return any(item.replace(" ", "").upper() == "HYDRA.MODE=MULTIRUN" for item in overrides)


def _overrides(about: HydraConf) -> list[str]:
    """Return the options of the command line, as typed; ${...} in them belongs to the options."""
    written = OmegaConf.to_container(about.overrides.task, resolve=False)
    assert isinstance(written, list)
    return [str(override) for override in written]


def _single(command: Command[Schema, AnyPlan], loader: ConfigLoader, config_name: str, overrides: Sequence[str]) -> int:
    config = compose.compose(command.schema, loader, config_name, overrides)
    refuse_without_sweep(config)
    compose.read_options(
        command.schema, config, overrides
    )  # a wrong option is named itself, not the directory that it is part of
    given = places.directory(config, places.RUN).absolute()
    new = "now" in places.find_filled_in(config, places.RUN)  # a name that holds the time is meant for a new run
    expected = places.free(given) if new else given
    plan = command.prepare(config, expected)
    _check_logging(config, "job_logging")
    directory = Path(getattr(plan, "directory", expected))
    places.refuse(config, overrides, places.SWEEP, f"nothing without -m; one run goes to {places.RUN}", directory)
    if directory != expected:
        places.refuse(
            config, overrides, places.RUN, f"{files.short(directory)}, where the run is, or nothing", directory
        )
    if new and directory == expected:
        directory = places.claim(given, places.RUN)
    with read_write(config.hydra), open_dict(config.hydra):
        config.hydra.run.dir = str(directory)
    files.make_directory(directory, places.RUN)
    result = run_job(
        hydra_context=_context(loader),
        task_function=command,
        config=config,
        job_dir_key=places.RUN,
        job_subdir_key=None,
    )
    return int(result.return_value or 0)


def _sweep(
    command: Command[Schema, AnyPlan], loader: ConfigLoader, config_name: str, overrides: Sequence[str], again: str
) -> int:
    config = compose.compose(command.schema, loader, config_name, overrides, RunMode.MULTIRUN)
    places.refuse(config, overrides, places.RUN, f"nothing with -m; the runs of a sweep go to {places.SWEEP}")
    launching = choose_launcher(config, command.finished)
    sweepers.check(config)
    given = places.directory(config, places.SWEEP).absolute()
    new = places.find_filled_in(config, places.SWEEP) == {"now"}
    shared = not places.find_filled_in(config, places.SWEEP) - {"now"}  # else each member fills in its own
    if shared:
        _place(config, places.free(given) if new else given)
    found: dict[Path, int] = {}
    known: dict[int, SweepMember] = {}
    for number, job in enumerate(_jobs(config, loader)):
        known[number] = member = _member(command, loader, config, job, number)
        directory = places.member(member.config)
        if found.setdefault(directory, number) != number:
            raise UsageError(f"{places.MEMBER}: members {found[directory]} and {number} would share {directory}")
        if number == 0:  # the options of Hydra are the same for all members
            _check_logging(member.config, "job_logging")
    _check_logging(config, "hydra_logging")
    searches = not _lists_its_jobs(config)
    if searches and not launching.waits:
        reject("hydra.launcher.wait", False, "true where a sweeper chooses by results")
    launching.check(list(known.values()))
    if new and (claimed := places.claim(given, places.SWEEP)) != places.directory(config, places.SWEEP):
        _place(config, claimed)
        known = {}
    folder = places.directory(config, places.SWEEP).absolute()
    files.make_directory(folder, places.SWEEP)
    configure_log(config.hydra.hydra_logging, config.hydra.verbose)
    context = _context(loader)
    try:
        sweeper = Plugins.instance().instantiate_sweeper(hydra_context=context, task_function=command, config=config)
    except Exception as error:  # options of a plugin of Hydra's
        raise sweepers.failure(config, error, begun=False) from error
    terminal.over()  # launchers that wait say how to go on
    inner, stopped = _holder(sweeper), 0
    if launching.way is None or inner is None:
        batches = sweeper.sweep(arguments=_overrides(config.hydra))
        codes = [members.code(job) for batch in batches or () for job in batch]
        failed = [str(number) for number, code in enumerate(codes) if code]
    else:
        inner.launcher = launched = Members(
            inner.launcher,
            launching.way(folder),
            lambda job, number: known.get(number) or _member(command, loader, config, job, number),
            command.is_idle,
            command.score if searches else None,
        )
        try:
            sweeper.sweep(arguments=_overrides(config.hydra))
        except (KeyboardInterrupt, SystemExit):
            members.say(f"Go on with the sweep:\n  {_again(again, folder)}")
            raise
        except Exception as error:
            if error is launched.raised:
                raise
            why = sweepers.failure(config, error, begun=bool(launched.members))
            if not launched.members:
                raise why from error
            complain(why)
            stopped = why.exit_code
        codes = [launched.codes[one.number] for one in launched.members]
        failed = [str(one) for one in launched.members if launched.codes[one.number]]
    if shared and launching.waits:
        command.swept(folder)
    if failed:
        complain(RunError(f"{len(failed)} of {len(codes)} members of the sweep failed: {', '.join(failed)}"))
        members.say(f"Run them again:\n  {_again(again, folder)}")
    return max([*codes, stopped])


def _member(
    command: Command[Schema, AnyPlan], loader: ConfigLoader, config: DictConfig, job: Sequence[str], number: int
) -> SweepMember:
    """Compose a member of a sweep, and plan what it does; raises UsageError."""
    try:
        composed = loader.load_sweep_config(config, list(job))
    except COMPOSITION_ERRORS as error:
        raise composition_error(command.schema, error, job) from error
    with read_write(composed.hydra), open_dict(composed.hydra):
        composed.hydra.job.num = composed.hydra.job.id = number
    directory = places.member(composed)
    return SweepMember(number, tuple(job), composed, directory, command.prepare(composed, directory))


def _holder(sweeper: Any) -> Any:
    """Return the sweeper that holds a launcher, which may be within another one; None if there is none."""
    while sweeper is not None and getattr(sweeper, "launcher", None) is None:
        sweeper = getattr(sweeper, "sweeper", None)
    return sweeper


def _again(words: str, folder: Path) -> str:
    """Return the command that goes on with a sweep."""
    more = [] if places.SWEEP in words else [f"{places.SWEEP}={files.short(folder)}"]
    more += [] if "resume=auto" in words else ["resume=auto"]
    return " ".join([words, *map(shlex.quote, more)])


def _check_logging(config: DictConfig, section: str) -> None:
    """Configure logging by a section of Hydra's, with the run's directory elsewhere; raises UsageError."""
    verbose = config.hydra.verbose
    verbose = OmegaConf.to_container(verbose) if OmegaConf.is_config(verbose) else verbose
    named = isinstance(verbose, list) and all(isinstance(one, str) for one in verbose)
    if not named and not isinstance(verbose, bool | str):
        reject("hydra.verbose", verbose, "true, false, or names of loggers, as in [a,b]")
    trial = copy.deepcopy(config)
    before = HydraConfig.instance().cfg
    with tempfile.TemporaryDirectory() as folder, read_write(trial.hydra), open_dict(trial.hydra):
        trial.hydra.runtime.output_dir = folder
        HydraConfig.instance().set_config(trial)  # names of files may refer to other values of Hydra
        try:
            configure_log(trial.hydra[section])
        except Exception as error:  # a handler that the section names may raise anything
            said = first_line(error.__cause__ or error)
            raise UsageError(f"hydra.{section}: accepted: what logging.config.dictConfig takes ({said})") from error
        finally:
            HydraConfig.instance().cfg = before


def _place(config: DictConfig, directory: Path) -> None:
    """Put a sweep into a directory; its members, which are composed anew, read the override."""
    with read_write(config.hydra), open_dict(config.hydra):
        config.hydra.sweep.dir = str(directory)
        config.hydra.overrides.hydra.append(f"{places.SWEEP}={quote(str(directory))}")


def _lists_its_jobs(config: DictConfig) -> bool:
    """Return whether all jobs of a sweep are known before it begins."""
    return str(config.hydra.sweeper._target_).endswith(".BasicSweeper")


def _jobs(config: DictConfig, loader: ConfigLoader) -> list[list[str]]:
    """Return the overrides of each job of a sweep; empty for a sweeper that chooses them during the sweep."""
    if not _lists_its_jobs(config):
        return []
    given = [f"{key}={value}" for key, value in (config.hydra.sweeper.params or {}).items()]
    return compose.jobs(given + _overrides(config.hydra), loader)


class NoCallbacks:
    """What Hydra tells when a job begins and ends. None are called, since an option would name their code."""

    def on_job_start(self, config: DictConfig, task_function: Callable[..., object]) -> None:
        """Do nothing."""

    def on_job_end(self, config: DictConfig, job_return: JobReturn) -> None:
        """Do nothing."""


def _context(loader: ConfigLoader) -> HydraContext:
    return HydraContext(config_loader=loader, callbacks=NoCallbacks())  # type: ignore[arg-type]
