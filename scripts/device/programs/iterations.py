"""Counts how often each loop of a program runs, on a CPU, as the program would run elsewhere.

A compiler knows the iterations of few loops: most end when the last game has. So the program is written anew, equation
by equation, with a counter beside each loop, and run. Each loop also gets a name, `loop0` and so on, which HLO keeps:
so the launches of an iteration, which only the compiler for the other platform knows, can be multiplied by them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun

CALLS = {
    **dict.fromkeys(("jit", "pjit", "closed_call", "core_call", "remat", "checkpoint"), "jaxpr"),
    **dict.fromkeys(("custom_jvp_call", "custom_vjp_call"), "call_jaxpr"),
}
"""Equations that only call other ones, and the parameter that has these."""
LOOPED = (*CALLS, "platform_index", "cond", "while", "scan")
"""Equations that loops may be in."""
MOST = 1024
"""Loops that can be counted."""
Path = tuple[int, ...]
"""Where an equation stands: its place, after the places of the equations that it is in."""


class Loops:
    """Loops in the order in which they are met.

    Args:
        platform: whose branch is taken where a program has several, by the platform that it is lowered for.
        counts: whether iterations are counted; else loops are only named.
    """

    def __init__(self, platform: str = "cuda", counts: bool = True) -> None:
        self._platform = platform
        self._counts = counts
        self._numbers: dict[Path, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def named(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same, with named loops.

        Where loops are counted it returns the result and int32[MOST], the iterations of each loop, in all.
        """

        def run(*arguments: Any) -> Any:
            closed, shape = jax.make_jaxpr(function, return_shape=True)(*arguments)
            values, count = self._evaluate(closed, jax.tree.leaves(arguments), jnp.zeros(MOST, jnp.int32), ())
            result = jax.tree.unflatten(jax.tree.structure(shape), values)
            return (result, count) if self._counts else result

        return run

    def _evaluate(self, closed: Any, arguments: Sequence[Any], count: Any, path: Path) -> tuple[list[Any], Any]:
        """Evaluate equations; return their results, and the counts so far."""
        jaxpr = getattr(closed, "jaxpr", closed)
        known = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*getattr(closed, "consts", ()), *arguments], strict=True))

        def read(variable: Any) -> Any:
            return variable.val if hasattr(variable, "val") else known[variable]

        for place, equation in enumerate(jaxpr.eqns):
            if equation.primitive.name in LOOPED:
                values, count = self._equation(equation, list(map(read, equation.invars)), count, (*path, place))
            else:
                values = _alone(jaxpr, equation, known)
            known.update(zip(equation.outvars, values, strict=True))
        return list(map(read, jaxpr.outvars)), count

    def _equation(self, equation: Any, values: list[Any], count: Any, path: Path) -> tuple[list[Any], Any]:
        name, given = equation.primitive.name, equation.params
        if name in CALLS:
            return self._evaluate(given[CALLS[name]], values, count, path)
        if name == "platform_index":
            options = given["platforms"]
            return [next(n for n, one in enumerate(options) if one is None or self._platform in one)], count
        if name == "cond":
            return self._cond(given["branches"], values, count, path)
        number = self._numbers.setdefault(path, len(self._numbers))
        with jax.named_scope(f"loop{number}"):
            return (self._while if name == "while" else self._scan)(given, values, count, path, number)

    def _cond(self, branches: Sequence[Any], values: list[Any], count: Any, path: Path) -> tuple[list[Any], Any]:
        index, *arguments = values
        if isinstance(index, int):  # the platform's
            return self._evaluate(branches[index], arguments, count, (*path, index))

        def branch(number: int) -> Callable[..., tuple[list[Any], Any]]:
            return lambda count, *some: self._evaluate(branches[number], some, count, (*path, number))

        return lax.switch(index, [branch(number) for number in range(len(branches))], count, *arguments)

    def _one_more(self, count: Any, number: int) -> Any:
        return count + (jnp.arange(MOST) == number) if self._counts else count

    def _while(
        self, given: dict[str, Any], values: list[Any], count: Any, path: Path, number: int
    ) -> tuple[list[Any], Any]:
        of_condition, of_body = given["cond_nconsts"], given["body_nconsts"]
        fixed, constants = values[:of_condition], values[of_condition : of_condition + of_body]

        def goes_on(now: tuple[list[Any], Any]) -> Any:
            return self._evaluate(given["cond_jaxpr"], [*fixed, *now[0]], now[1], (*path, 0))[0][0]

        def body(now: tuple[list[Any], Any]) -> tuple[list[Any], Any]:
            after, count = self._evaluate(given["body_jaxpr"], [*constants, *now[0]], now[1], (*path, 1))
            return after, self._one_more(count, number)

        return lax.while_loop(goes_on, body, (values[of_condition + of_body :], count))

    def _scan(
        self, given: dict[str, Any], values: list[Any], count: Any, path: Path, number: int
    ) -> tuple[list[Any], Any]:
        fixed, carried = _scanned(given)
        constants, start, items = values[:fixed], values[fixed : fixed + carried], values[fixed + carried :]

        def body(now: tuple[list[Any], Any], item: list[Any]) -> tuple[tuple[list[Any], Any], list[Any]]:
            found, count = self._evaluate(given["jaxpr"], [*constants, *now[0], *item], now[1], path)
            return (found[:carried], self._one_more(count, number)), found[carried:]

        (end, count), made = lax.scan(body, (start, count), items, given["length"], given["reverse"], given["unroll"])
        return [*end, *made], count


def _scanned(given: dict[str, Any]) -> tuple[int, int]:
    """Return how many constants and carried values a scan has, by its parameters in JAX 0.10 or in JAX 0.11."""
    if "num_consts" in given:
        return given["num_consts"], given["num_carry"]
    fixed, carried, _ = given["ft_in"].unpack()
    return len(fixed), len(carried)


def _alone(jaxpr: Any, equation: Any, known: dict[Any, Any]) -> list[Any]:
    """Evaluate one equation as JAX does."""
    variables = list(dict.fromkeys(one for one in equation.invars if not hasattr(one, "val")))
    debug_info = jaxpr.debug_info.with_unknown_names()
    made = jaxpr.replace(
        constvars=[], invars=variables, outvars=equation.outvars, eqns=[equation], debug_info=debug_info
    )
    found: list[Any] = jaxpr_as_fun(ClosedJaxpr(made, []))(*(known[one] for one in variables))
    return found
