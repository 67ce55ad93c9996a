"""Options of the small commands: `option=value` as everywhere, declared by a dataclass. Needs only Python.

A field of type `dict`, or of a dataclass, is a section: `game.pits=5` sets one entry, and `game=mancala` is short for
`game.name=mancala`. In a section of several kinds `opponent=search` is short for `opponent.kind=search`, and
`opponent=search:3` sets the main option of the kind as well.
"""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from jaxgp.checks.unions import Kinds, of_kind
from jaxgp.config import quoting, typed
from jaxgp.config.help import describe
from jaxgp.errors import RunError, UsageError, complain, reason, reject, show, tell
from jaxgp.files import user_path
from jaxgp.options import Option, check, list_options, option
from jaxgp.printable import printable
from jaxgp.terminal import Interrupts, heard, lenient

__all__ = ["describe", "main", "option", "parse"]

Schema = TypeVar("Schema")

HELP = ("-h", "--help")


def parse(schema: type[Schema], arguments: Sequence[str]) -> Schema:
    """Read `option=value` arguments.

    Raises:
        UsageError: an unknown option, a value of the wrong type, not among the choices or beyond the limits, or an
            option given twice.
    """
    found = {one.name: one for one in list_options(schema)}
    values = typed.plain(schema)
    unions = {name: one for name, one in found.items() if len(one.sections) > 1}
    seen: set[str] = set()
    for argument in arguments:
        name, equals, written = argument.partition("=")
        if not equals or not name:
            raise UsageError(f"{show(argument)}: not an option; write option=value")
        section, _, entry = name.partition(".")
        one = found.get(section)
        if one is None and (former := typed.find_renamed(schema, "", section, written)):
            raise former
        if one is None or (entry and not _section(one)):
            raise typed.unknown(section if one is None else name, found if one is None else ())
        if not entry and section in unions:
            name, entry, written = _of_kind(values, one, written)
        elif not entry and _section(one):
            name, entry = f"{name}.name", "name"
        if name in seen:
            raise UsageError(f"{show(argument)}: {name} is given twice")
        seen.add(name)
        meant = _declared(one, entry)
        value = _read(meant, name, written)
        if entry == "name" and meant is not None:
            meant.check(section, value)
        _set(values, name, value)
    for name, one in unions.items():
        values[name] = _completed(one, values[name])
    made = typed.make_options(schema, values)
    check(made)
    return made


def command(script: str, values: object) -> str:
    """Return the command that gives these options, as it can be pasted into a shell; defaults are left out."""
    words = [f"python {script}"]
    for one in list_options(values):
        value = getattr(values, one.name)
        if isinstance(value, dict) and isinstance(one.default, dict):
            given = [(name, entry) for name, entry in value.items() if entry != one.default.get(name)]
            words += [quoting.quote_for_shell(_named(one.name, name), _typed(entry)) for name, entry in given]
        elif value != one.default:
            words.append(quoting.quote_for_shell(one.name, _typed(value)))
    return " ".join(words)


def _named(section: str, entry: str) -> str:
    return section if entry == "name" else f"{section}.{entry}"


def _typed(value: object) -> str:
    """Return a value as it is typed."""
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_typed, value))}]"
    return value if isinstance(value, str) else show(value)


def _of_kind(values: dict[str, object], one: Option, written: str) -> tuple[str, str, str]:
    """Return the name, the entry and the value that `SECTION=KIND` sets; `KIND:VALUE` sets another one besides."""
    kind, colon, value = written.partition(":")
    members = one.sections
    union = getattr(members[0], "kinds", None)
    if isinstance(union, Kinds) and os.sep in written and ":" not in written:
        return f"{one.name}.kind", "kind", union.add(user_path(one.name, written).resolve())
    renamed = getattr(members[0], "former", {})
    main = getattr(of_kind(one.name, kind, typed.by_kind(members), renamed, colon + value), "main", "")
    if colon and not main:
        reject(one.name, written, kind)
    if colon:
        _set(values, f"{one.name}.{main}", value)
    return f"{one.name}.kind", "kind", kind


def _completed(one: Option, given: object) -> object:
    """Return the entries of a section of several kinds, with the kind of its default if none is named."""
    assert isinstance(given, dict)
    if "kind" in given:
        return given
    if one.default is not None:
        return {"kind": getattr(one.default, "kind", None)} | given
    if given:
        kinds = ", ".join(kind for kind in typed.by_kind(one.sections))
        raise UsageError(f"{one.name}.{next(iter(given))}: of which kind? Write {one.name}=KIND too; accepted: {kinds}")
    return None


def _section(one: Option) -> bool:
    return bool(one.sections or typed.entries_of(one))


def _declared(one: Option, entry: str) -> Option | None:
    """Return the option that an argument sets; None for an entry of a section that may hold any."""
    sections = one.sections
    if not sections:
        return None if _section(one) else one
    found = {inner.name: inner for kind in sections for inner in list_options(kind)}
    if entry not in found:
        raise typed.unknown(f"{one.name}.{entry}", found)
    return found[entry]


def _read(one: Option | None, name: str, written: str) -> object:
    """Read a value; text stays as it is written, also where it looks like a number."""
    if one is not None and str in one.kinds:
        return None if written == "null" and one.nullable else written
    if one is not None and one.many is tuple and not written.startswith("["):
        return written
    try:
        return quoting.read(written)
    except ValueError as error:
        if str(error).startswith(quoting.TOO_LONG):
            reject(name, written, quoting.SHORTER)
        raise UsageError(f"{name}={show(written)}: cannot be read; quote special characters") from error


def _set(values: dict[str, object], name: str, value: object) -> None:
    """Set an entry by its dotted name."""
    *path, last = name.split(".")
    for part in path:
        inside = values.get(part)
        section: dict[str, object] = inside if isinstance(inside, dict) else {}
        values[part] = section
        values = section
    values[last] = value


def say(text: str) -> None:
    """Print progress on standard error; what cannot be written there is dropped."""
    with suppress(OSError, ValueError):
        print(printable(text), file=sys.stderr, flush=True)


def main(
    schema: type[Schema],
    task: Callable[[Schema], int],
    usage: str,
    arguments: Sequence[str] | None = None,
    about: Callable[[Schema], Sequence[str]] | None = None,
) -> int:
    """Run a command; return its exit code.

    `about` returns what `--help` says besides of the options that stand beside it, such as the game.

    It is 2 for wrong options, 1 where the command fails, and 128 + the number of the signal that stopped it. Each is
    told in one line on standard error. Output that cannot be written ends no work: after it, a full disk is a failure,
    and a reader who has enough is none.
    """
    with heard(), Interrupts() as interrupts, lenient() as (out, progress):
        code = _code(schema, task, usage, sys.argv[1:] if arguments is None else arguments, about, interrupts)
        if (failure := out.settle()) is not None:
            complain(RunError(f"standard output: {reason(failure)}"))
            code = code or RunError.exit_code
        progress.settle()
    return code


def _code(
    schema: type[Schema],
    task: Callable[[Schema], int],
    usage: str,
    arguments: Sequence[str],
    about: Callable[[Schema], Sequence[str]] | None,
    interrupts: Interrupts,
) -> int:
    """Run a command; return the exit code that its work earns."""
    try:
        given = [argument for argument in arguments if argument not in HELP]
        if len(given) < len(arguments):
            more = about(parse(schema, given)) if about is not None and given else ()
            print("\n".join([describe(schema, usage), *more]), flush=True)
            return 0
        return task(parse(schema, arguments))
    except SystemExit as ended:
        return int(ended.code or 0)
    except (Exception, KeyboardInterrupt) as error:
        return settle(error, interrupts)


def settle(error: BaseException, interrupts: Interrupts) -> int:
    """Say how a command has ended badly, and return its exit code; raises the error where the program is at fault."""
    stopped = interrupts.signal is not None or isinstance(error, KeyboardInterrupt)
    # What is interrupted while it compiles may fail with an error of the compiler's own.
    known = tell(error) if isinstance(error, UsageError | RunError | OSError) or not stopped else None
    if known is not None:
        return known
    if not stopped:
        raise error
    say("\nstopped" if sys.stderr.isatty() else "stopped")  # a terminal shows what was typed
    return interrupts.exit_code
