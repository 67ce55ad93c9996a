"""Turns trees into instructions: the order of functions, and the rows that hold their arguments and values.

Genomes keep their nodes in argument order, so that subtree slices stay slices. The order of evaluation is derived from
them, once per generation:

- The needier argument is evaluated first (A. P. Ershov 1958; R. Sethi and J. D. Ullman, "The Generation of Optimal
  Code for Arithmetic Expressions", JACM 17(4), 1970), so that a small stack is enough: see `stack_bound`.
- Constants and features are operands, not instructions: they cost no step. In a binary tree this halves the steps.
  Subtrees that fold to one of them cost none either: see `fold`.
- Every operand names the row it is read from. So functions get their arguments in declared order after any order of
  evaluation, and the loop keeps no stack pointer.

    (SUB (ADD 1 2) (MUL (ADD x 3) (SUB 4 x)))      step   kind  operands            slot
                                                    0     ADD   x, 3                0
                                                    1     SUB   4, x                1
                                                    2     MUL   row 0, row 1        0
                                                    3     ADD   1, 2                1
                                                    4     SUB   row 1, row 0        0
"""

from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import longest_first
from jaxgp.genotypes import programs as lp
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import instructions, tables
from jaxgp.interpreter.fold import CONSTANT, add_along_paths, argument_uses, fold, of_arguments, ranks

_GROUPED = 64  # the least number of programs that are planned in groups
_GROUPS = 8
NARROW = 32  # the least capacity that short programs are planned with


@struct.dataclass
class Plan:
    """Instructions for programs of any batch shape [...]; S = `stack_bound`, A = the largest arity.

    Rows 0 to S - 1 are the stack, row S takes what padding writes, and the features follow from row S + 1.
    """

    kind: Array  # int32[..., L]: index into `instructions(primitives)`; 0 in padding
    operand: Array  # int32[..., L, A]: row of each argument, or CONSTANT
    constant: Array  # float32[..., L, A]: value of the constant arguments, weight or factor of all others; a
    #                  parametrised terminal's parameter, or the number of its node, is first
    slot: Array  # int32[..., L]: stack row that takes the value; S in padding
    steps: Array  # int32[...]: instructions in use
    root: Array  # int32[...]: row of the result, or CONSTANT
    root_constant: Array  # float32[...]: the result where `root` is CONSTANT, else its weight or factor
    effect: Array | None = None  # int32[..., L]: place of the instruction among those with an effect, in the written
    #                              order, -1: it has none; None for a set without effects


@lru_cache
def stack_bound(max_arity: int, length: int) -> int:
    """Return how many stack rows suffice for every tree of up to `length` nodes and arities up to `max_arity`.

    Count a row for every node that waits to be used. A leaf needs 1. A function evaluates its arguments by falling
    need n_0 >= n_1 >= ...; while argument i runs, the i values before it wait, so the function needs max(n_i + i)
    rows. Let t(s) be the fewest nodes of a tree that needs s rows, t(1) = 1. A smallest tree that needs s > 1 has at
    its root an i with n_i + i = s. If i were 0, that argument alone would need s, and be a smaller tree. So i >= 1, and
    the k = i + 1 neediest arguments need at least s - k + 1 rows each:

        t(s) >= min over k from 2 to min(max_arity, s) of 1 + k * t(s - k + 1)

    (equal, when functions of every arity exist: take k such arguments and no more). No tree of fewer than t(s) nodes
    needs s rows, so the largest s with t(s) <= length suffices. With unary functions only, the minimum is over nothing
    and one row is enough. `plan` keeps constants and features out of the stack, which can only lower the need.
    """
    least = [0, 1]  # least[s] = t(s)
    while max_arity > 1 and least[-1] <= length:
        s = len(least)
        least.append(min(1 + k * least[s - k + 1] for k in range(2, min(max_arity, s) + 1)))
    return max(1, len(least) - 2 if max_arity > 1 else 1)


def plan(primitives: PrimitiveSet, programs: Programs) -> Plan:
    """Plan valid programs of any batch shape, [..., L]."""
    batch = programs.length.shape
    flat = jax.tree.map(lambda field: field.reshape((-1, *field.shape[len(batch) :])), programs)
    planned = _in_groups(primitives, flat)
    return jax.tree.map(lambda field: field.reshape((*batch, *field.shape[1:])), planned)


def _plan_all(primitives: PrimitiveSet, programs: Programs) -> Plan:
    """Plan programs [P, L] in one loop, as long as the longest of them."""
    bound, spare = programs.length.max(), stack_bound(primitives.max_arity, programs.capacity)
    return jax.vmap(lambda tree: _plan_tree(primitives, tree, bound, spare))(programs)


def _plan_group(primitives: PrimitiveSet, programs: Programs) -> Plan:
    """Plan programs [P, L] as if a tree could hold an eighth of the nodes, if that is enough for all of them."""
    capacity, narrow = programs.capacity, programs.capacity // 8
    bound, spare = programs.length.max(), stack_bound(primitives.max_arity, capacity)
    if narrow < NARROW:
        return _plan_all(primitives, programs)

    def plan_few(programs: Programs) -> Plan:
        cut = {name: getattr(programs, name)[:, :narrow] for name in ("opcode", "value", "size")}
        few = jax.vmap(lambda tree: _plan_tree(primitives, tree, bound, spare))(programs.replace(**cut))
        rows = {"kind": 0, "operand": CONSTANT, "constant": 0.0, "slot": spare, "effect": -1}
        more = lambda x: [(0, 0), (0, capacity - narrow)] + [(0, 0)] * (x.ndim - 2)  # noqa: E731
        wide = {
            name: jnp.pad(x, more(x), constant_values=fill)
            for name, fill in rows.items()
            if (x := getattr(few, name)) is not None
        }
        return few.replace(**wide)

    return jax.lax.cond(bound <= narrow, plan_few, lambda programs: _plan_all(primitives, programs), programs)


def _in_groups(primitives: PrimitiveSet, programs: Programs) -> Plan:
    """Plan programs [P, L] in groups of similar length; the loop of a group is as long as its longest program.

    Most programs are much shorter than the longest one. All groups share one compiled loop.
    """
    count = len(programs.length)
    if count < _GROUPED or count % _GROUPS:
        return _plan_all(primitives, programs)
    length, order = longest_first(programs.length)
    ordered = jax.tree.map(lambda field: field[order], programs).replace(length=length)
    groups = jax.tree.map(lambda field: field.reshape(_GROUPS, -1, *field.shape[1:]), ordered)
    planned = jax.lax.map(lambda group: _plan_group(primitives, group), groups)
    back = jnp.argsort(order)
    return jax.tree.map(lambda field: field.reshape(count, *field.shape[2:])[back], planned)


def _plan_tree(primitives: PrimitiveSet, tree: Programs, bound: Array, spare: int) -> Plan:
    """Plan one tree, [L], of at most `bound` nodes; stack rows are 0 to `spare` - 1.

    Only folding takes a loop. The slot of a node is the sum of the ranks on its path from the root. Its step is its
    place among the instructions in argument order, plus the moves of the node and its ancestors among their siblings.
    """
    width, capacity = primitives.max_arity, tree.capacity
    arities, kinds = jnp.asarray(primitives.arity), jnp.asarray(tables(primitives, instructions(primitives))[1])
    code, size = tree.opcode.astype(jnp.int32), tree.size.astype(jnp.int32)
    index = jnp.arange(capacity, dtype=jnp.int32)
    arity = jnp.where(lp.live(tree), arities[code], 0)
    children = argument_roots(size, arity, width)
    uses = argument_uses(children, arity)
    folded = fold(primitives, tree, children, uses, bound)
    runs, need = folded.runs, folded.need

    before = jnp.cumsum(runs, dtype=jnp.int32)  # instructions up to and including each node
    work = before - jnp.where(size <= index, before[index - size], 0)
    exists = children >= 0
    rank = ranks(jnp.where(exists, need[children], 0))
    move = _moves(jnp.where(exists, work[children], 0), rank)
    # One sum serves both: the ranks on a path add up to less than `base`, stack bound plus largest arity.
    base = spare + width
    path = add_along_paths(of_arguments(base * move + rank, uses), size)
    slot = path % base
    step = jnp.where(runs, before - 1 + path // base, capacity)

    # First the operand that a parent reads, a row or CONSTANT; then all instructions in the order of steps.
    source = folded.source
    row = jnp.where(source >= 0, slot[source], jnp.where(source == CONSTANT, CONSTANT, spare - 1 - source))
    value = folded.value
    node = jnp.full(capacity, -1, jnp.int32).at[step].set(index, mode="drop")
    used = node >= 0
    argument = jnp.where(used[:, None], children[node], -1)
    given = tree.value[node]
    if any(numbered := [p.numbered for p in primitives.primitives]):
        given = jnp.where(jnp.asarray(numbered)[code[node]], node.astype(given.dtype), given)
    parameter = jnp.where(used, given, 0.0)[:, None] * (jnp.arange(width) == 0)
    last = tree.length - 1
    return Plan(
        kind=jnp.where(used, kinds[code[node]], 0),
        operand=jnp.where(argument >= 0, row[argument], CONSTANT),
        constant=jnp.where(argument >= 0, value[argument], parameter),
        slot=jnp.where(used, slot[node], spare),
        steps=before[-1],
        root=row[last],
        root_constant=value[last],
        effect=_effects(primitives, tree, node) if primitives.effects else None,
    )


def _effects(primitives: PrimitiveSet, tree: Programs, nodes: Array) -> Array:
    """Return int32[L]: the place of each of some nodes, -1 for none, among the nodes with an effect; -1: it has none.

    Postfix order is the order in which nodes are written to be evaluated: arguments from left to right, then their
    function.
    """
    acts = jnp.asarray(primitives.acts)[tree.opcode[nodes].astype(jnp.int32)]
    return jnp.where((nodes >= 0) & acts, lp.count_effects(primitives, tree)[nodes] - 1, -1)


def argument_roots(size: Array, arity: Array, width: int) -> Array:
    """Return int32[L, A]: the root of each argument in declared order; -1 where there is none."""
    index = jnp.arange(size.shape[0], dtype=jnp.int32)
    backwards = [index - 1]  # the last argument ends right before its parent, each other one before its successor
    for _ in range(width - 1):
        backwards.append(backwards[-1] - size[backwards[-1]])
    back = arity[:, None] - 1 - jnp.arange(width)
    return jnp.where(back >= 0, jnp.take_along_axis(jnp.stack(backwards, 1), jnp.maximum(back, 0), 1), -1)


def _moves(work: Array, rank: Array) -> Array:
    """Return int32[..., A]: how many steps later each argument runs than in declared order; `work`: its own steps."""
    place = np.arange(work.shape[-1])
    runs_before = (rank[..., None, :] < rank[..., :, None]).astype(jnp.int32)
    stands_before = (place[None, :] < place[:, None]).astype(np.int32)
    return (work[..., None, :] * (runs_before - stands_before)).sum(-1, dtype=jnp.int32)
