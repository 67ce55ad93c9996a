"""The members of a sweep, launched: those that have come to their end are passed over, and each has an exit code."""

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hydra.core.utils import JobReturn, JobStatus
from hydra.plugins.launcher import Launcher
from omegaconf import DictConfig

from jaxgp.errors import RunError, complain, reason

AnyPlan = TypeVar("AnyPlan")
LOG_END = 2**16
"""Bytes at the end of a log in which an error is looked for."""


class SweepMember(NamedTuple):
    """A member of a sweep.

    Attributes:
        number: it is part of the name of its directory.
        overrides: the options of the sweep with its own values.
        config: the composed options, with Hydra's own.
        directory: where Hydra puts it.
        plan: what is done.
        own: those options that not all members of the sweep have.
    """

    number: int
    overrides: tuple[str, ...]
    config: DictConfig
    directory: Path
    plan: Any
    own: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.number} ({' '.join(word.removeprefix('++') for word in self.own or self.overrides)})"


Way = Callable[[Launcher, Sequence[SweepMember]], Mapping[int, int]]
"""(a launcher of Hydra's, members) -> the exit code of each member by its number, once all have ended."""


class Members(Launcher):
    """Launches the members of a sweep in one way; Hydra's sweeper calls it.

    Attributes:
        members: all members so far.
        codes: their exit codes by number.
        raised: the exception that ended the last launch; None: the launch has ended well.

    Args:
        launcher: of Hydra, set up.
        way: how members are launched.
        prepare: (options of a job, its number) -> the member. Raises UsageError.
        is_idle: (plan) -> whether nothing is left to do.
        score: (plan of a member that has ended well) -> what the sweeper gets for it. Raises RunError.
    """

    def __init__(
        self,
        launcher: Launcher,
        way: Way,
        prepare: Callable[[Sequence[str], int], SweepMember],
        is_idle: Callable[[AnyPlan], bool],
        score: Callable[[AnyPlan], object] | None = None,
    ) -> None:
        self.members: list[SweepMember] = []
        self.codes: dict[int, int] = {}
        self.raised: BaseException | None = None
        self._launcher = launcher
        self._way = way
        self._prepare = prepare
        self._is_idle = is_idle
        self._score = score

    def setup(self, **about: object) -> None:
        """Do nothing: the launcher inside is set up already."""

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> list[JobReturn]:
        """Run the jobs that are due, and return what all have returned."""
        try:
            return self._launched(job_overrides, initial_job_idx)
        except BaseException as error:
            self.raised = error
            raise

    def _launched(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> list[JobReturn]:
        shared = set(job_overrides[0]).intersection(*job_overrides)
        members = [
            self._prepare(job, number)._replace(own=tuple(word for word in job if word not in shared))
            for number, job in enumerate(job_overrides, initial_job_idx)
        ]
        due = [one for one in members if not self._is_idle(one.plan)]
        if len(due) < len(members):
            say(f"Already complete: {len(members) - len(due)} of {count_in_words(len(members))}.")
        self.members += members
        self.codes |= {one.number: 0 for one in members} | (dict(self._way(self._launcher, due)) if due else {})
        return [self._returned(one) for one in members]

    def _returned(self, member: SweepMember) -> JobReturn:
        value: object = self.codes[member.number]
        if self._score is not None:
            value = float("nan") if value else self._score(member.plan)
        done = JobReturn(overrides=list(member.overrides), cfg=member.config, status=JobStatus.COMPLETED)
        done.return_value = value
        return done


def one_by_one(launcher: Launcher, members: Sequence[SweepMember]) -> dict[int, int]:
    """Run members in this process, with a line before and after each.

    One whose directory cannot be made does not end the others.
    """
    return {one.number: _alone(launcher, one) for one in members}


def _alone(launcher: Launcher, member: SweepMember) -> int:
    say(f"member {member}: begins")
    code = carry_out(lambda: next(iter(launcher.launch([list(member.overrides)], member.number))))
    say(f"member {member}: {f'exit code {code}' if code else 'complete'}")
    return code


def carry_out(job: Callable[[], JobReturn]) -> int:
    """Call a job and return its exit code; a directory that cannot be made is one line."""
    try:
        done = job()
    except OSError as error:
        complain(RunError(f"{error.filename or 'a member of the sweep'}: {reason(error)}"))
        return RunError.exit_code
    return code(done)


def code(done: JobReturn) -> int:
    """Return the exit code of a job; an exception that left it is printed."""
    try:
        return int(done.return_value or 0)
    except Exception:
        traceback.print_exc()
        return RunError.exit_code


def failure(logs: Iterable[Path]) -> str:
    """Return the last error that is in one of these logs, or an empty text."""
    for path in logs:
        with suppress(OSError), path.open("rb") as log:
            log.seek(max(path.stat().st_size - LOG_END, 0))
            lines = log.read(LOG_END).decode(errors="replace").splitlines()
            errors = [line for line in lines if line.startswith("error: ")]
            if errors:
                return errors[-1].removeprefix("error: ")
    return ""


def count_in_words(number: int) -> str:
    """Return a number of members in words."""
    return f"{number} member{'' if number == 1 else 's'}"


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)
