"""Damaged files of every kind that a person may hand over, and what reads them, all in this process.

python -m tests.reliability.damaged cases=500 seed=7
python -m tests.reliability.damaged cases=100 kind=chess              the kinds in whose names this stands

A case is a sound file of `tests.reliability.sound` with up to three changes: bytes flipped, cut, doubled or inserted,
numbers and words that cannot be, lines in another order, entries of JSON and arrays replaced. What reads it has to take
it, or to refuse it by an error of one line of at most 2,000 characters that names the file or the option, within the
time.
"""

import functools
import io
import json
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

import jax
import numpy as np

from jaxgp.config import arguments
from jaxgp.errors import RunError, UsageError, reject
from jaxgp.options import option
from jaxgp.seats.gtp import EngineError
from jaxgp.store import checkpoint
from tests.reliability import harms, typed_words
from tests.reliability.children import LONGEST, last_line
from tests.reliability.sound import Kind, kinds

LIMIT = 20
"""Seconds for a case."""
SEVERAL = 3
"""The most changes of a file."""
ARRAYS = 0.7
"""Share of the changes of an archive of arrays that leave it whole: other ones are noticed by its checksums."""
REFUSED = (UsageError, RunError, EngineError, checkpoint.UnreadableError)
"""Errors of which scripts make one line."""


@dataclass
class Options:
    """What is tried, and how often."""

    cases: int = option(500, "how many files", low=1)
    seed: int | None = option(None, "of all cases; null: another one each time", low=0)
    kind: str | None = option(None, "only the kind of this name, or those in whose names it stands; null: all in turn")


# How files are harmed


def harmed(draw: random.Random, content: bytes) -> bytes:
    """Return a file with one change."""
    if content.startswith(b"PK") and draw.random() < ARRAYS:
        return array_changed(draw, content)
    place = draw.randrange(len(content) + 1)
    end = min(len(content), place + draw.choice((1, 2, 8, 64, 1024)))
    text = content.decode("utf-8", "surrogateescape")
    word = draw.choice(draw.choice((*typed_words.HOSTILE[:2], typed_words.TEXTS[:20])))
    many = draw.choice((2, 50, 3000))
    changes: tuple[Callable[[], bytes | str], ...] = (
        lambda: content[:place] + bytes([draw.randrange(256)]) + content[place + 1 :],
        lambda: content[:place],
        lambda: content[:place] + content[end:],
        lambda: content[:place] + content[place:end] * many + content[end:],
        lambda: content[:place] + draw.randbytes(draw.choice((1, 4, 40))) + content[place:],
        lambda: replaced(draw, r"-?\d+(?:\.\d+)?", word, text),
        lambda: replaced(draw, r"\w+", word, text),
        lambda: replaced(draw, r"[][{}()\",:;/.=#-]", draw.choice('][{}()",:;/.=#-'), text),
        lambda: "".join(draw.sample(lines := text.splitlines(True), len(lines))),
        lambda: text.replace("\n", draw.choice(("\r\n", "\r", "\0", "\u2028", ""))),
        lambda: entry_replaced(draw, text),
    )
    found = draw.choice(changes)()
    return found if isinstance(found, bytes) else found.encode("utf-8", "surrogateescape")


def replaced(draw: random.Random, pattern: str, word: str, text: str) -> str:
    """Return text with another word in the place of one that has a pattern."""
    places = list(re.finditer(pattern, text))
    if not places:
        return text + word
    at = draw.choice(places)
    return text[: at.start()] + word + text[at.end() :]


def entry_replaced(draw: random.Random, text: str) -> str:
    """Return JSON with another value in the place of one; other text as it is, twice."""
    try:
        content = json.loads(text)
        at = draw.choice(list(harms.places(content)))
    except (ValueError, IndexError):
        return text + text
    inside = content
    for key in at[:-1]:
        inside = inside[key]
    inside[at[-1]] = draw.choice(harms.VALUES)
    return json.dumps(content)


def array_changed(draw: random.Random, content: bytes) -> bytes:
    """Return an archive of arrays with one array that has other values, another type or another shape, or is gone."""
    try:
        with np.load(io.BytesIO(content)) as archive:
            arrays = {name: archive[name] for name in archive.files}
        name = draw.choice([name for name in arrays if not name.startswith("__")])
    except (*checkpoint.DAMAGES, IndexError):
        return content[: len(content) // 2]
    old = arrays.pop(name)
    changes: tuple[Callable[[], np.ndarray | None], ...] = (
        *[lambda: valued(draw, old)] * 6,
        lambda: old.reshape(-1)[:-1],
        lambda: old[None],
        lambda: old.astype(np.float64 if old.dtype != np.float64 else np.int8),
        lambda: None,
    )
    new = draw.choice(changes)()
    file = io.BytesIO()
    np.savez(file, **arrays | ({} if new is None else {name: new}))
    return file.getvalue()


def valued(draw: random.Random, old: np.ndarray) -> np.ndarray:
    """Return an array with another value in one place, or in all."""
    limits = np.iinfo(old.dtype) if old.dtype.kind in "iu" else np.finfo(np.float32)
    new, value = old.copy(), draw.choice([limits.min, limits.max, 0, 1, 7, *[np.nan, np.inf] * (old.dtype.kind == "f")])
    new.reshape(-1)[draw.randrange(new.size) if draw.random() < 0.7 else slice(None)] = value
    return new


# What comes of it


def fault(kind: Kind, path: Path) -> str:
    """Say what is wrong with how a file is read; empty if nothing is."""
    signal.setitimer(signal.ITIMER_REAL, kind.limit or LIMIT)
    begin = time.monotonic()
    try:
        kind.read(path)
        return ""
    except REFUSED as error:
        said = str(error)
        if "\n" in said or not said:
            return f"{len(said.splitlines())} lines: {last_line(said)}"
        return f"a message of {len(said)} characters: {said[:200]}" if len(said) > LONGEST else ""
    except TimeoutError:
        return f"not read after {time.monotonic() - begin:.0f} s"
    except Exception as error:  # what scripts would answer with a traceback
        return f"{type(error).__name__}: {last_line(str(error))}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def too_long(number: int, frame: FrameType | None) -> NoReturn:
    raise TimeoutError


def carry_out(options: Options, say: Callable[[str], object] = print) -> tuple[Counter[str], list[str]]:
    """Try cases; say each that ends badly; return how many there were of each kind, and what ended badly."""
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    say(f"seed={seed}")
    known = kinds()
    word = options.kind or ""
    names = [word] if word in known else [name for name in known if word in name]
    if not names:
        reject("kind", word, f"what stands in one of {', '.join(known)}")
    before = signal.signal(signal.SIGALRM, too_long)
    counts, wrong, sound = Counter[str](), [], set[str]()
    folder = Path(tempfile.mkdtemp(prefix="damaged-"))
    try:
        for number in range(options.cases):
            name = names[number % len(names)]
            kind, draw, place = known[name], random.Random(f"{seed}/{number}"), folder / "case"
            place.mkdir()
            path = place / kind.file
            kind.write(path)
            if name not in sound:
                sound.add(name)
                if name != "answers of an engine" and (said := fault(kind, path)):
                    raise AssertionError(f"{name}, before it was harmed: {said}")
            content = path.read_bytes()
            for _ in range(draw.randint(1, SEVERAL)):
                content = harmed(draw, content)
            path.write_bytes(content)
            counts[name] += 1
            if said := fault(kind, path):
                wrong.append(f"case={number} kind={name}: {said}")
                say(f"{wrong[-1]}\n  {content[:200]!r}")
            shutil.rmtree(place)
    finally:
        signal.signal(signal.SIGALRM, before)
        shutil.rmtree(folder, ignore_errors=True)
    say(f"{sum(counts.values())} files of {len(counts)} kinds, {len(wrong)} of them answered badly")
    return counts, wrong


def task(options: Options) -> int:
    """Try, print; return 1 if a case ended badly."""
    return int(bool(carry_out(options, functools.partial(print, flush=True))[1]))


if __name__ == "__main__":
    jax.config.update("jax_platforms", "cpu")
    sys.exit(arguments.main(Options, task, __doc__))
