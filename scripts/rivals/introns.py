"""Explicit introns: programs of checkers, evaluated without computing what stands below NullJ and NOTG, and with it."""

import functools
from dataclasses import replace
from typing import Any

import jax
import numpy as np

import envs
from envs import stgp
from envs.checkers import leaves
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import plan
from jaxgp.operators.creation import create
from jaxgp.operators.options import Creation
from rivals.random_play import positions
from rivals.timing import Case, compiled, measure

DEPTHS = 4, 8
"""Depth of the programs, ramped half-and-half."""
CAPACITY = 256


def skipped(bench: Any, until: float) -> None:
    """Time the evaluation of random programs at positions of lose checkers, planned in both ways, with equal values."""
    options = bench.options
    game, seen = envs.make("checkers", lose=True), leaves.Options()
    language = leaves.primitive_set(game, seen)
    # The same functions without the promise that some of their arguments have no influence.
    computed = [replace(one, ignores=0, picks=0) if one.name in stgp.INTRONS else one for one in language.functions]
    creation = Creation(method="ramped", min_depth=DEPTHS[0], max_depth=DEPTHS[1])
    programs = create(jax.random.key(options.seed), language, creation, options.programs, CAPACITY)
    programs = jax.tree.map(lambda x: x[:, 0], programs)
    states = positions(game, options.seed, options.cases)
    features = jax.jit(jax.vmap(lambda state: leaves.view(game, seen, state), out_axes=1))(states)
    cases, steps, values = {}, {}, []
    for name, known in {"skipped": language, "computed": replace(language, functions=tuple(computed))}.items():
        plans = jax.jit(functools.partial(plan, known))(programs)
        run, seconds = compiled(functools.partial(evaluate, known), plans, features)
        cases[name] = Case(functools.partial(run, plans, features), options.programs * options.cases)
        steps[name] = {"steps": round(float(np.mean(plans.steps)), 2), "compile_seconds": seconds}
        values.append(np.asarray(run(plans, features)))
    np.testing.assert_array_equal(*values)
    times, unit = measure(cases, options.repeats, until), "evaluations/s"
    sizes = {"programs": options.programs, "positions": options.cases, "nodes": round(float(np.mean(programs.length)))}
    for name in cases:
        seconds = steps[name].pop("compile_seconds")
        bench.report.ours("introns", name, unit, times[name], sizes, seconds, **steps[name])
