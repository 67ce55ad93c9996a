"""A plain evaluator of one tree, written without the engine's tables: NumPy float32 and an explicit stack.

Each node is visited once in argument order; there is no planning, no batching over programs and no tracing. Of the
engine only the declarations (names, argument types) are used; what a function computes is given in NumPy.
"""

import numpy as np


def evaluate_arrays(primitives, calls, opcode, value, features):
    """Evaluate the live nodes of one tree in postfix order.

    `calls` maps the names of functions and parametrised terminals to NumPy functions; `features` is float32[F, B].
    Returns float32[B].
    """
    cases = features.shape[1]
    stack = []
    for code, number in zip(opcode, value, strict=True):
        declared = (*primitives.terminals, *primitives.functions)[int(code)]
        if declared.args:
            taken = stack[-len(declared.args) :]
            stack = stack[: -len(declared.args)]
            taken = [t != 0 if kind == "bool" else t for t, kind in zip(taken, declared.args, strict=True)]
            result = calls[declared.name](*([features] if declared.reads_features else []), *taken)
        elif declared.feature is not None:
            result = features[declared.feature]
        elif declared.fixed is not None:
            result = np.full(cases, declared.fixed, np.float32)
        elif declared.call is None:
            result = np.full(cases, number, np.float32)
        else:
            result = calls[declared.name](features, np.full(cases, number, np.float32))
        result = result.astype(np.float32)
        if primitives.factored and declared.returns == "float" and not declared.is_constant:
            result = result * np.float32(number)
        stack.append(result)
    (result,) = stack
    return result


def evaluate_program(primitives, calls, tree, features):
    """Evaluate one tree given as arrays."""
    length = int(tree.length)
    with np.errstate(all="ignore"):
        return evaluate_arrays(primitives, calls, tree.opcode[:length], tree.value[:length], features)
