"""Evolving from Python: a ring by options, the loop over generations, its table and its checkpoints; ask and tell."""

import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp import files
from jaxgp.checks.values import whole
from jaxgp.contracts import Fitness, Metrics, Scheme
from jaxgp.errors import UsageError, reason, reject, require
from jaxgp.evolution.islands import Islands
from jaxgp.evolution.options import AlgorithmOptions, GPOptions, of_island
from jaxgp.evolution.pair import Pair
from jaxgp.evolution.ring import Ring
from jaxgp.evolution.state import EvolutionState
from jaxgp.fitness.evaluation import Evaluation
from jaxgp.genotypes.language import Genome, Language, language_of
from jaxgp.options import MAX_COUNT
from jaxgp.store import checkpoint
from jaxgp.store.record import Record, Row, clean, cut

if TYPE_CHECKING:
    import pandas

RECORD, CHECKPOINTS = "metrics.jsonl", "checkpoints"
"""What a folder of `evolve` holds, named as in a run directory."""


class History(dict[str, np.ndarray]):
    """Columns by name, NumPy arrays with a row each in their first axis; numbers that are not finite are NaN."""

    @classmethod
    def of(cls, rows: list[Row]) -> "History":
        """Return the table of rows with the same names; None becomes NaN."""
        return cls({name: np.array([_filled(row.get(name)) for row in rows]) for name in (rows[0] if rows else ())})

    def frame(self) -> "pandas.DataFrame":
        """Return the table for pandas; columns of more than one axis become columns of lists.

        Raises:
            UsageError: pandas is not installed.
        """
        require("frame()", ("pandas",), "study")
        import pandas

        return pandas.DataFrame({name: column if column.ndim == 1 else list(column) for name, column in self.items()})

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"History({rows} rows: {', '.join(self)})"


def _filled(value: object) -> object:
    """Return a value of a record as arrays hold it."""
    if isinstance(value, list):
        return [np.nan if one is None else one for one in value]
    return np.nan if value is None else value


class Evolved(NamedTuple):
    """What `evolve` returns.

    Attributes:
        state: after the last generation; `state.champion` is the best individual so far.
        metrics: a row for each generation; `seconds` and `elapsed` are wall-clock time without compiling.
    """

    state: EvolutionState
    metrics: History

    def __repr__(self) -> str:
        return f"Evolved(state=<after {int(self.state.generation)} generations>, metrics={self.metrics!r})"


def ring(
    fitness: Fitness, language: Language, options: AlgorithmOptions | None = None, *, candidates: int = 0
) -> Ring | Islands:
    """Return what evolves individuals as the options of an algorithm say, all of them.

    `Ring`, `Generational` and `Islands` are its parts. A scheme made by itself knows its own options alone: it breeds
    one population, and ends no run.

    Args:
        fitness: how good each individual is.
        language: what individuals are written in, such as `cast.language`, or a set of your own.
        options: of the algorithm, such as `GPOptions`, `MapElitesOptions` or `CMAOptions`; None: `GPOptions()`. With
            `islands` it has rings side by side, with `stagnation` it ends a run, with `chunk` it measures so many
            individuals at a time, and `left_out` are primitives that no individual has.
        candidates: how many of the best individuals it keeps, different ones; see `Ring`.

    Raises:
        UsageError: a value that is not accepted, such as a chunk where the fitness measures all together.
    """
    options = GPOptions() if options is None else options
    if not isinstance(options, AlgorithmOptions):
        reject("options", type(options).__name__, "options of an algorithm, such as jaxgp.GPOptions()")
    if options.chunk is not None:
        parts = fitness.in_chunks(options.chunk) if hasattr(fitness, "in_chunks") else None
        if parts is None:
            reject("chunk", options.chunk, f"None; {type(fitness).__name__} measures all individuals together")
        fitness = parts
    if options.islands.count == 1:
        return Ring(fitness, options.scheme(language), candidates, stagnation=options.stagnation)
    # Candidates and stagnation are of all islands, so the ring of one has none.
    one = Ring(fitness, of_island(options).scheme(language))
    return Islands(one, options.islands, candidates, stagnation=options.stagnation)


def evolve(
    ring: Ring | Pair | Islands,
    start: Array | EvolutionState,
    generations: int,
    *,
    progress: bool = False,
    folder: str | Path | None = None,
    every: int = 10,
) -> Evolved:
    """Evolve for some generations; one that reaches the aim of the fitness is the last.

    Args:
        ring: one generation.
        start: a typed key[] of `jax.random`, for a random population; or a state to go on from.
        generations: how many.
        progress: whether a bar shows them, and the best fitness, on stderr.
        folder: where to keep the record and checkpoints, from which `resume` goes on; None: nowhere.
        every: generations from one checkpoint to the next; the last generation always has one.

    Raises:
        UsageError: a value that is not accepted, or a folder that holds a run already or cannot be written to.
        RunError: the record could not be written.
    """
    check_bits()
    whole("generations", generations, 1, MAX_COUNT)
    whole("every", every, 1, MAX_COUNT)
    if folder is not None and isinstance(start, EvolutionState):
        reject("folder", folder, "None where a state goes on; resume goes on from a folder")
    kept = None if folder is None else files.user_path("folder", str(folder))
    if kept is not None:
        if (kept / RECORD).exists():
            reject("folder", folder, "a folder without a run; resume goes on from one")
        files.make_directory(kept, "folder")
    state, step = (start, _compiled(ring, start)) if isinstance(start, EvolutionState) else _begun(ring, start)
    return _loop(ring, state, step, generations, [], kept, every, progress)


def resume(
    ring: Ring | Pair | Islands, folder: str | Path, generations: int, *, progress: bool = False, every: int = 10
) -> Evolved:
    """Go on from the newest checkpoint of a folder that `evolve` was given, to the same result as if it never stopped.

    Args:
        ring: as it was given to `evolve`. A checkpoint knows the language of its genomes; that the fitness and the
            options are the same is not checked.
        folder: as it was given to `evolve`.
        generations: of the whole run, those done included.
        progress: see `evolve`.
        every: see `evolve`.

    Returns:
        The state and the metrics of all generations, those done before included.

    Raises:
        UsageError: there is no checkpoint, or it is damaged, or its genomes are of another language.
        RunError: the record could not be written.
    """
    check_bits()
    whole("generations", generations, 1, MAX_COUNT)
    whole("every", every, 1, MAX_COUNT)
    kept = files.user_path("folder", str(folder))
    like = jax.eval_shape(lambda: ring.init(jax.random.key(0)))
    like = jax.tree.map(_filler, like)
    done, state, unusable = checkpoint.newest(kept / CHECKPOINTS, like, _digest(ring))
    if done < 0:
        why = unusable[0][1] if unusable else "it has no checkpoint"
        reject("folder", folder, f"the folder of a run of this ring ({why})")
    rows = cut(kept / RECORD, done)
    if done >= generations:
        return Evolved(state, History.of(rows))
    return _loop(ring, state, _compiled(ring, state), generations - done, rows, kept, every, progress)


Step = Callable[[EvolutionState], tuple[EvolutionState, Metrics]]


def _begun(ring: Ring | Pair | Islands, key: Array) -> tuple[EvolutionState, Step]:
    """Return the state before the first generation, and the step, which is compiled at the same time."""
    check_key(key)
    like = jax.eval_shape(ring.init, key)
    with ThreadPoolExecutor(1) as other:
        step = other.submit(_compiled, ring, like)
        state = jax.jit(ring.init)(key)
        return state, step.result()


def _compiled(ring: Ring | Pair | Islands, state: EvolutionState) -> Step:
    return jax.jit(ring.step).lower(state).compile()


def check_bits() -> None:
    """Refuse values of 64 bits, by which the same key would give another run; raises UsageError."""
    if jnp.result_type(float) != jnp.float32:
        reject(
            "jax_enable_x64", True, 'false, as jax.config.update("jax_enable_x64", False) sets it; values have 32 bits'
        )


def check_key(key: Array) -> None:
    """Refuse what is no single typed key; raises UsageError."""
    dtype = getattr(key, "dtype", None)
    if dtype is None or not jnp.issubdtype(dtype, jax.dtypes.prng_key) or jnp.shape(key) != ():
        shown = type(key).__name__ if dtype is None else f"{dtype}{list(jnp.shape(key))}"
        reject("key", shown, "one key, as jax.random.key(0) returns, or a state to go on from")


def _loop(
    ring: Ring | Pair | Islands,
    state: EvolutionState,
    step: Step,
    generations: int,
    rows: list[Row],
    folder: Path | None,
    every: int,
    progress: bool,
) -> Evolved:
    with ExitStack() as opened:
        record = None if folder is None else opened.enter_context(Record(folder / RECORD, rows, warnings.warn))
        show = opened.enter_context(_Bar(generations)) if progress else None
        saved, elapsed = -1, rows[-1]["elapsed"] if rows else 0.0
        try:
            for number in range(generations):
                if bool(state.finished):
                    break
                begin = time.perf_counter()
                state, metrics = step(state)
                row = clean(jax.device_get(metrics))
                seconds = round(time.perf_counter() - begin, 6)
                elapsed += seconds
                row |= {"seconds": seconds, "elapsed": round(elapsed, 6)}
                if record is not None:
                    record.append(row)
                rows.append(row)
                if show is not None:
                    show(row)
                if folder is not None and (number + 1) % every == 0:
                    saved = _save(ring, state, folder)
        finally:
            # After Ctrl-C, too: the last complete generation is worth keeping.
            if folder is not None and saved != int(state.generation):
                _save(ring, state, folder)
    if rows and not np.any(np.asarray(state.champion.fitness) > -np.inf):
        warnings.warn("no individual had a fitness above minus infinity, so there is no champion", stacklevel=3)
    return Evolved(state, History.of(rows))


def _save(ring: Ring | Pair | Islands, state: EvolutionState, folder: Path) -> int:
    done = int(state.generation)
    try:
        checkpoint.save(folder / CHECKPOINTS, done, state, _digest(ring))
    except OSError as error:
        raise UsageError(f"folder={folder}: cannot be written to ({reason(error)})") from error
    return done


def _digest(ring: Ring | Pair | Islands) -> str:
    """Return what the checkpoints of a ring say about it: what its genomes are written in."""
    language = language_of(ring.scheme)
    return "" if language is None else f"{language.name} {language.version}"


def _filler(like: jax.ShapeDtypeStruct) -> Array:
    """Return an array, or keys, of a shape and a type."""
    if jnp.issubdtype(like.dtype, jax.dtypes.prng_key):
        return jnp.broadcast_to(jax.random.key(0), like.shape)
    return jnp.zeros(like.shape, like.dtype)


class _Bar:
    """A progress bar on stderr, and the best fitness so far beside it."""

    def __init__(self, generations: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        shown = TextColumn("{task.fields[best]}")
        columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), shown
        self._bar = Progress(*columns, console=Console(stderr=True))
        self._task = self._bar.add_task("", total=generations, best="")

    def __call__(self, row: Row) -> None:
        best = row.get("best_fitness")
        self._bar.update(self._task, advance=1, best="" if best is None else f"best {np.max(best):.6g}")

    def __enter__(self) -> "_Bar":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


class AskTell:
    """A scheme in a loop of your own: ask for individuals, measure them as you like, tell their fitness.

        search = jaxgp.AskTell(scheme)
        population = search.ask(key)
        search.tell(key, population, fitness)

    Attributes:
        scheme: how parents become children.
        best: the fittest individual that was told, without the population axis; None before the first.
        fitness: its fitness; minus infinity before the first.
        metrics: of the last `tell`, scalars.
    """

    def __init__(self, scheme: Scheme) -> None:
        if not hasattr(scheme, "breed"):
            reject("scheme", type(scheme).__name__, "a scheme, such as jaxgp.Generational")
        self.scheme = scheme
        self.best: Genome | None = None
        self.fitness = -np.inf
        self.metrics: dict[str, Array] = {}
        self._memory = scheme.init()
        self._waiting: Genome | None = None
        self._create = jax.jit(lambda key: scheme.create(key, scheme.population))
        self._breed = jax.jit(scheme.breed)

    def ask(self, key: Array) -> Genome:
        """Return the individuals to measure next, [P, ...].

        The first ones are random, drawn with `key`. Those after a `tell` were drawn with its key. Asked again before
        the next `tell`, it returns the same ones.
        """
        check_key(key)
        if self._waiting is None:
            self._waiting = self._create(key)
        return self._waiting

    def tell(self, key: Array, population: Genome, fitness: Array | Evaluation) -> None:
        """Breed the next individuals.

        Args:
            key: typed key[], of selection and variation.
            population: [P, ...], those that were measured; they need not be those that `ask` returned.
            fitness: float32[P], greater is better, NaN the worst; or an `Evaluation`, which may have cases and
                behaviour too.

        Raises:
            UsageError: fitness of another number of individuals than the scheme has.
        """
        check_key(key)
        if not isinstance(fitness, Evaluation):
            fitness = jnp.asarray(fitness, jnp.float32)
            fitness = Evaluation(fitness, fitness[..., None], {})
        count = self.scheme.population
        for name, shape in (("fitness", fitness.fitness.shape), ("population", _shape(population))):
            if shape[:1] != (count,) or (name == "fitness" and len(shape) > 1):
                reject(name, f"[{', '.join(map(str, shape))}]", f"{count} individuals, the population of the scheme")
        self._waiting, self._memory, self.metrics = self._breed(key, population, fitness, self._memory)
        index = int(fitness.fittest)
        if float(fitness.fitness[index]) > self.fitness:
            self.best, self.fitness = jax.tree.map(lambda x: x[index], population), float(fitness.fitness[index])

    def __repr__(self) -> str:
        return f"AskTell({type(self.scheme).__name__}, best fitness {self.fitness:.6g})"


def _shape(population: Genome) -> tuple[int, ...]:
    return jnp.shape(jax.tree.leaves(population)[0])
