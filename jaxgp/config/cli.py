"""The command line that all scripts share: Hydra's, with every mistake told in one line and exit code 2.

Nothing is written before the options of every job have been composed and checked. What stays as Hydra has it:
`option=value`, groups, `-m` sweeps, launchers, `hydra.run.dir`, `--help`, `--cfg job`, `--info`.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from hydra import version
from hydra._internal.callbacks import Callbacks
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra._internal.hydra import Hydra
from hydra._internal.utils import _run_hydra, create_config_search_path, get_args_parser
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.utils import run_job
from hydra.types import HydraContext, RunMode
from omegaconf import DictConfig, OmegaConf, open_dict, read_write
from omegaconf.errors import OmegaConfBaseException

from jaxgp import files
from jaxgp.config import typed as options
from jaxgp.errors import RunError, UsageError

Schema = TypeVar("Schema")
Plan = TypeVar("Plan")

SCHEMA_NAME = "schema"
"""What a primary config calls the schema in its defaults list."""


class Command:
    """One script: how its options become a plan, and what is done with a plan.

    Args:
        schema: dataclass of the options.
        plan: (typed config, overrides as typed, output directory) -> what to do. Raises UsageError; writes nothing.
            A plan with an attribute `directory` moves the job's output directory there.
        task: does it and returns the exit code. Raises UsageError or RunError. It may run in another process.
    """

    def __init__(
        self,
        schema: type[Schema],
        plan: Callable[[Schema, Sequence[str], Path], Plan],
        task: Callable[[Plan], int],
    ) -> None:
        self.schema = schema
        self.plan = plan
        self.task = task

    def prepare(self, config: DictConfig, overrides: Sequence[str], directory: Path) -> Any:
        """Type the composed options and make the plan; raises UsageError."""
        return self.plan(options.typed(self.schema, config), overrides, directory)

    def __call__(self, config: DictConfig) -> int:
        """Run one job; Hydra calls this, in this process or on another machine. Returns the exit code."""
        hydra: Any = HydraConfig.instance().cfg
        try:
            plan = self.prepare(config, _overrides(hydra), Path(hydra.hydra.runtime.output_dir))
            return self.task(plan)
        except (UsageError, RunError) as error:
            complain(error)
            return error.exit_code


def main(command: Command, config_dir: Path, config_name: str, argv: Sequence[str] | None = None) -> NoReturn:
    """Run a script and exit: 0 done, 1 the run failed, 2 the options are wrong, 128 + signal when stopped.

    Args:
        command: the script's work.
        config_dir: the config tree, wherever the working directory is.
        config_name: the primary config in it, without `.yaml`.
        argv: the arguments; by default those of the process.
    """
    version.setbase("1.3")
    ConfigStore.instance().store(name=SCHEMA_NAME, node=options.plain(command.schema))
    parser = get_args_parser()
    parser.error = _parser_error  # type: ignore[method-assign]
    args = parser.parse_args(argv)
    args.overrides = [options.opened(command.schema, override) for override in args.overrides]
    try:
        code = _dispatch(command, config_dir.resolve(), args.config_name or config_name, args, parser)
    except (UsageError, RunError) as error:
        complain(error)
        code = error.exit_code
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        code = 128 + signal.SIGINT
    sys.exit(code)


def complain(error: BaseException) -> None:
    """Print an error as one line."""
    print("error: " + " ".join(str(error).split()), file=sys.stderr, flush=True)


def _parser_error(message: str) -> NoReturn:
    complain(UsageError(f"{message}; see --help"))
    sys.exit(UsageError.exit_code)


def _dispatch(
    command: Command, config_dir: Path, config_name: str, args: argparse.Namespace, parser: argparse.ArgumentParser
) -> int:
    if args.help or args.hydra_help or args.shell_completion or args.info or args.experimental_rerun:
        return _show(command, config_dir, config_name, args, parser)
    hydra = _hydra(config_dir, config_name, args)
    try:
        if args.cfg:
            config = _compose(command, hydra, config_name, args.overrides, RunMode.RUN)
            options.typed(command.schema, _without_hydra(config))
            GlobalHydra.instance().clear()
            return _show(command, config_dir, config_name, args, parser)
        if args.multirun or _asks_for_sweep(args.overrides):
            return _sweep(command, hydra, config_name, args.overrides)
        return _single(command, hydra, config_name, args.overrides)
    finally:
        GlobalHydra.instance().clear()


def _show(
    command: Command, config_dir: Path, config_name: str, args: argparse.Namespace, parser: argparse.ArgumentParser
) -> int:
    """Let Hydra print help, the configuration or information about itself."""
    before = os.environ.get("HYDRA_FULL_ERROR")
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors arrive here as exceptions
    try:
        _run_hydra(args, parser, command, str(config_dir), config_name)
    except options.COMPOSITION_ERRORS as error:
        raise options.composition_error(command.schema, error, args.overrides) from error
    finally:
        if before is None:
            del os.environ["HYDRA_FULL_ERROR"]
        else:
            os.environ["HYDRA_FULL_ERROR"] = before
    return 0


def _hydra(config_dir: Path, config_name: str, args: argparse.Namespace) -> Hydra:
    search_path = create_config_search_path(str(config_dir))
    if args.config_dir is not None:
        extra = Path(args.config_dir).absolute()
        if not extra.is_dir():
            raise UsageError(f"--config-dir={args.config_dir}: no such directory")
        search_path.prepend(provider="command-line", path=f"file://{extra}")
    return Hydra.create_main_hydra2(task_name=config_name, config_search_path=search_path)


def _asks_for_sweep(overrides: Sequence[str]) -> bool:
    return any(item.replace(" ", "").upper() == "HYDRA.MODE=MULTIRUN" for item in overrides)


def _compose(command: Command, hydra: Hydra, config_name: str, overrides: Sequence[str], mode: RunMode) -> DictConfig:
    try:
        config = hydra.compose_config(config_name, list(overrides), mode, with_log_configuration=True)
        with read_write(config.hydra), open_dict(config.hydra):
            config.hydra.mode = mode
    except options.COMPOSITION_ERRORS as error:
        raise options.composition_error(command.schema, error, overrides) from error
    return config


def _overrides(config: DictConfig) -> list[str]:
    """Return the options of the command line, as typed."""
    typed: Any = OmegaConf.to_container(config.hydra.overrides.task, resolve=False)
    return [str(override) for override in typed]


def _without_hydra(config: DictConfig) -> DictConfig:
    job = config.copy()
    with read_write(job), open_dict(job):
        del job["hydra"]
    assert isinstance(job, DictConfig)
    return job


def _single(command: Command, hydra: Hydra, config_name: str, overrides: Sequence[str]) -> int:
    config = _compose(command, hydra, config_name, overrides, RunMode.RUN)
    directory = _directory(config, "hydra.run.dir")
    plan = command.prepare(_without_hydra(config), _overrides(config), directory)
    directory = Path(getattr(plan, "directory", directory))
    with read_write(config.hydra), open_dict(config.hydra):
        config.hydra.run.dir = str(directory)
    files.make_directory(directory, "hydra.run.dir")
    callbacks = Callbacks(config)
    callbacks.on_run_start(config=config, config_name=config_name)
    result = run_job(
        hydra_context=HydraContext(config_loader=hydra.config_loader, callbacks=callbacks),
        task_function=command,
        config=config,
        job_dir_key="hydra.run.dir",
        job_subdir_key=None,
    )
    callbacks.on_run_end(config=config, config_name=config_name, job_return=result)
    return int(result.return_value or 0)


def _sweep(command: Command, hydra: Hydra, config_name: str, overrides: Sequence[str]) -> int:
    config = _compose(command, hydra, config_name, overrides, RunMode.MULTIRUN)
    for number, job in enumerate(_jobs(config, hydra)):
        try:
            composed = hydra.config_loader.load_sweep_config(config, job)
        except options.COMPOSITION_ERRORS as error:
            raise options.composition_error(command.schema, error, job) from error
        with read_write(composed.hydra), open_dict(composed.hydra):
            composed.hydra.job.num = composed.hydra.job.id = number
        directory = _directory(composed, "hydra.sweep.dir", "hydra.sweep.subdir")
        command.prepare(_without_hydra(composed), _overrides(composed), directory)
    files.make_directory(_directory(config, "hydra.sweep.dir"), "hydra.sweep.dir")
    result = hydra.multirun(config_name, command, list(overrides))
    codes = [job.return_value for batch in result or () for job in batch]
    return max((int(code or 0) for code in codes), default=0)


def _jobs(config: DictConfig, hydra: Hydra) -> list[list[str]]:
    """Return the overrides of each job of a sweep; none for a sweeper that chooses them as it goes."""
    if not str(config.hydra.sweeper._target_).endswith(".BasicSweeper"):
        return []
    given = [f"{key}={value}" for key, value in (config.hydra.sweeper.params or {}).items()]
    parser = OverridesParser.create(config_loader=hydra.config_loader)
    parsed = parser.parse_overrides(given + _overrides(config))
    return [job for batch in BasicSweeper.split_arguments(parsed, None) for job in batch]


def _directory(config: DictConfig, *names: str) -> Path:
    """Resolve where a job writes, as an absolute path: the values of one or two options, joined."""
    before = HydraConfig.instance().cfg
    HydraConfig.instance().set_config(config)  # the directory may refer to other values of Hydra
    try:
        return Path(*(str(OmegaConf.select(config, name, throw_on_missing=True)) for name in names)).absolute()
    except OmegaConfBaseException as error:
        raise UsageError(f"{names[0]}: {str(error).splitlines()[0]}") from error
    finally:
        HydraConfig.instance().cfg = before
