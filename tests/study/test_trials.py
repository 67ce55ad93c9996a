"""Many runs in one process: the same as one by one, in any batch, after any interruption."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import jax
import numpy as np
import pytest

from jaxgp.evolution.generational import Generational
from jaxgp.evolution.ring import Ring
from jaxgp.fitness.evaluation import FunctionFitness
from jaxgp.genotypes.programs import Programs
from jaxgp.operators.options import CreationOptions, CrossoverOptions
from jaxgp.run.patience import GivenUp
from jaxgp.store import champion
from jaxgp.store.directory import RunDirectory
from jaxgp.study import design, results, trials
from tests.run import toy_experiment as toy
from tests.study.quick import Quick, measured

DESIGN = design.read({"factors": {"algorithm.population": [8, 12]}, "replicates": 3, "seed": 5})
GENERATIONS = 7
CLOCKED = ("seconds",)


class Stop:
    """Asks to stop, or does something else, when it has been looked at often enough."""

    def __init__(self, after=10**9, then=lambda: True):
        self.after, self.then = after, then

    @property
    def requested(self):
        self.after -= 1
        return self.after < 0 and self.then()


class KilledError(BaseException):
    """What a test takes for the end of the process: nothing catches it."""


def kill():
    raise KilledError


def plan(made=DESIGN):
    pairs = []
    for trial in made.trials():
        config = toy.config(population=trial.cell.levels[0], generations=GENERATIONS)
        config.seed = trial.seed
        pairs.append((trial, config))
    return pairs


def carry_out(folder, batch=1, stop=None, said=None):
    folder.mkdir(exist_ok=True)
    bench = trials.Bench(DESIGN, Quick, folder, batch, (said if said is not None else []).append)
    with pytest.MonkeyPatch.context() as patch:
        # While a program compiles, a stop is looked at as often as the time allows: here, never.
        patch.setattr(trials, "wait_for", lambda work, give_up: work())
        rows = bench.run(plan(), stop or Stop())
    return bench, [{k: v for k, v in row.items() if k not in CLOCKED} for row in rows]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("whole")


def test_a_stop_while_a_program_compiles_is_heard_at_once(tmp_path, monkeypatch):
    compiling = threading.Event()
    monkeypatch.setattr(trials.Program, "compiled", lambda *_: compiling.wait(20))
    bench = trials.Bench(DESIGN, Quick, tmp_path, 1, lambda text: None)
    with pytest.raises(GivenUp):
        bench.run(plan(), Stop(0))
    compiling.set()


@pytest.fixture(scope="module")
def said():
    return []


@pytest.fixture(scope="module")
def whole(folder, said):
    return carry_out(folder, said=said)[1]


def by_number(rows):
    return sorted(rows, key=lambda row: row["trial"])


def test_runs_are_those_of_their_own_options_and_seeds(whole):
    every = jax.jit(jax.vmap(measured, (None, 0, None)))
    assert [row["order"] for row in whole] == list(range(6))
    for row in by_number(whole):
        assert row["algorithm.population"] == (8 if row["trial"] < 3 else 12)
        assert row["seed"] == 5 + row["trial"]
        key, number = jax.random.key(row["seed"]), np.arange(GENERATIONS)
        fitness = np.asarray(every(key, number, row["algorithm.population"]))
        assert row["fitness"] == pytest.approx(float(fitness.max()))
        assert row["found"] == int(fitness.argmax())
        assert row["points"] == pytest.approx(float(fitness.max() * 0.75))
        assert row["generations"] == GENERATIONS


def test_batches_change_nothing_but_the_number_of_programs(tmp_path, whole):
    bench, rows = carry_out(tmp_path, batch=2)  # of three runs alike: one batch is not full
    assert by_number(rows) == by_number(whole)
    assert bench.programs == 2  # one for each size of the population
    assert bench.compile_seconds > 0


def test_a_run_directory_is_left_for_each_run(folder, whole, said):
    assert len(said) == 6
    assert said[-1].startswith("run 6 of 6 (all, algorithm.population=")
    for row in whole:
        run = RunDirectory(folder / "runs" / f"{row['trial']:04}")
        assert run.read_config().seed == row["seed"]
        assert run.read_config().algorithm.population == row["algorithm.population"]
        assert champion.read(run.champion).fitness == row["fitness"]
        summed = results.read_run(run, "runs")
        assert summed.pop("seconds") > 0
        assert summed.items() <= row.items()


@pytest.mark.thorough
def test_what_was_stopped_goes_on_to_the_same_table(tmp_path, whole):
    _, some = carry_out(tmp_path, stop=Stop(17))  # in the third run, at a look for each generation
    assert [row["order"] for row in some] == [0, 1]
    _, rows = carry_out(tmp_path)
    assert rows == whole
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert [line["trial"] for line in lines] == [row["trial"] for row in whole]
    frame = results.load(tmp_path / "results.csv")
    assert frame["trial"].tolist() == list(range(6))
    assert frame["fitness"].tolist() == pytest.approx([row["fitness"] for row in by_number(whole)])


def check_goes_on(folder, whole):
    """What was killed in its fourth run ends with the same table."""
    assert len((folder / "results.jsonl").read_text().splitlines()) == 3
    with (folder / "results.jsonl").open("a") as file:
        file.write('{"trial": 4, "ord')  # torn
    assert carry_out(folder)[1] == whole


@pytest.mark.thorough
def test_what_was_killed_goes_on_to_the_same_table(tmp_path, whole):
    with pytest.raises(KilledError):
        carry_out(tmp_path, stop=Stop(25, kill))
    check_goes_on(tmp_path, whole)


@pytest.mark.slow
def test_what_was_really_killed_goes_on_to_the_same_table(tmp_path, whole):
    code = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom tests.study import test_trials as t\n"
        "t.carry_out(Path(sys.argv[1]), stop=t.Stop(25, lambda: os.kill(os.getpid(), signal.SIGKILL)))\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, check=False
    )
    assert done.returncode == -signal.SIGKILL
    check_goes_on(tmp_path, whole)


@pytest.mark.thorough
def test_a_batch_that_ends_while_a_stop_is_asked_for_is_kept(tmp_path, whole):
    _, rows = carry_out(tmp_path, batch=3, stop=Stop(7))
    assert len(rows) == 3
    assert [row for row in whole if row["trial"] in {r["trial"] for r in rows}] == rows


def mean_opcode(key, population: Programs):
    del key
    return population.opcode.sum((-1, -2)) / population.length.sum(-1)


class Bred:
    """A run that breeds programs of the toy language in earnest."""

    language = toy.PRIMITIVES

    def __init__(self, config):
        ring = Ring(FunctionFitness(mean_opcode), Generational(toy.PRIMITIVES, config.algorithm))
        self.init, self.step = jax.jit(ring.init), jax.jit(ring.step)


def bred(**crossover):
    """A configuration of such a run."""
    config = toy.config(population=6, generations=3, capacity=8, creation=CreationOptions(method="full", max_depth=2))
    config.algorithm.crossover = CrossoverOptions(method="two_children", node_choice="koza", **crossover)
    config.algorithm.mutation.probability = 0.0
    return config


@pytest.mark.slow
def test_traced_options_are_no_other_than_constants(tmp_path):
    made = design.read({"factors": {"algorithm.crossover.function_probability": [0.05, 0.95]}, "replicates": 2})
    pairs = []
    for trial in made.trials():
        config = bred(function_probability=trial.cell.levels[0])
        config.seed = trial.seed
        pairs.append((trial, config))
    bench = trials.Bench(made, Bred, tmp_path, 2, lambda said: None)
    pairs = sorted(pairs, key=lambda pair: pair[0].cell.levels[0])[1:3]  # one of each level, side by side
    rows = bench.run(pairs, Stop())
    assert bench.programs == 1
    experiment = Bred(pairs[1][1])
    state = experiment.init(jax.random.key(pairs[1][1].seed))
    kept = [json.loads(line) for line in (tmp_path / f"runs/{rows[1]['trial']:04}/metrics.jsonl").open()]
    for generation in range(3):
        state, metrics = experiment.step(state)
        assert {name: np.asarray(value).item() for name, value in metrics.items()}.items() <= kept[generation].items()
    assert rows[1]["fitness"] == float(state.champion.fitness)
    assert {row["algorithm.crossover.function_probability"] for row in rows} == {0.05, 0.95}


def test_only_seeds_and_traced_options_are_shared():
    one = bred(probability=0.9, function_probability=0.9)
    other = bred(probability=0.1, function_probability=0.2)
    other.seed = 3
    assert trials.signature(one) == trials.signature(other)
    other.algorithm.selection.tournament_size += 1
    assert trials.signature(one) != trials.signature(other)
