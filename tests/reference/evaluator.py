"""A plain evaluator of one tree, written without the engine's tables: NumPy float32 and an explicit stack.

Each node is visited once in argument order; there is no planning, no batching over programs and no tracing. Only the
declarations (names, argument types, `call`) are shared with the engine.
"""

import numpy as np


def evaluate_arrays(primitives, opcode, value, features):
    """Evaluate the live nodes of one tree in postfix order on features [F, B]; returns float32[B]."""
    features = np.asarray(features, np.float32)
    cases = features.shape[1]
    stack = []
    for code, number in zip(opcode, value, strict=True):
        declared = (*primitives.terminals, *primitives.functions)[int(code)]
        if declared.args:
            taken = stack[-len(declared.args) :]
            stack = stack[: -len(declared.args)]
            taken = [t.astype(bool) if kind == "bool" else t for t, kind in zip(taken, declared.args, strict=True)]
            result = declared.call(*([features] if declared.reads_features else []), *taken)
        elif declared.feature is not None:
            result = features[declared.feature]
        elif declared.call is None:
            result = np.full(cases, number, np.float32)
        else:
            result = declared.call(features, np.full(cases, number, np.float32))
        stack.append(np.broadcast_to(np.asarray(result).astype(np.float32), (cases,)))
    (result,) = stack
    return result


def evaluate_program(primitives, tree, features):
    """Evaluate one tree given as arrays."""
    length = int(tree.length)
    return evaluate_arrays(primitives, np.asarray(tree.opcode)[:length], np.asarray(tree.value)[:length], features)
