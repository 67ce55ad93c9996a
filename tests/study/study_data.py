"""What the Morpion Solitaire report printed of its two designs, and responses that have exactly those statistics."""

import itertools

import numpy as np
import pandas

from jaxgp.study import design

FACTORS = {"V1": [4, 7, 10], "V2": [0.1, 0.3, 0.5], "V3": [2, 6, 10]}
DESIGN = design.read({"factors": FACTORS, "replicates": 2})
TERMS = ("V1", "V2", "V3", "V1 * V2", "V1 * V3", "V2 * V3")
# Figure 5: intercept and TERMS, in natural units.
COEFFICIENTS = {
    "FunctionSet0": (93.403935, -0.108796, -8.159722, -0.036458, 1.250000, 0.003472, -0.260417),
    "FunctionSet1": (105.50000, -0.92130, -3.61111, -1.35417, -0.69444, 0.09722, 0.62500),
}
# Figures 6 and 7: sums of squares of TERMS and of the 47 residuals, F and p of TERMS.
SQUARES = {
    "FunctionSet0": (26.694, 1.361, 4.694, 13.5, 0.042, 1.042, 717.5),
    "FunctionSet1": (96.69, 32.11, 136.11, 4.17, 32.67, 6.00, 745.3),
}
F = {
    "FunctionSet0": (1.749, 0.089, 0.308, 0.884, 0.003, 0.068),
    "FunctionSet1": (6.098, 2.025, 8.584, 0.263, 2.06, 0.378),
}
P = {
    "FunctionSet0": (0.192, 0.767, 0.582, 0.352, 0.959, 0.795),
    "FunctionSet1": (0.01722, 0.16133, 0.00522, 0.61063, 0.15783, 0.54144),
}
TUNED = {"FunctionSet0": (10, 0.5, 2), "FunctionSet1": (4, 0.1, 2)}  # figure 10


def columns(levels):
    """The terms of the model at levels [N, 3]: float[N, 7]."""
    pairs = [levels[:, i] * levels[:, j] for i, j in itertools.combinations(range(3), 2)]
    return np.column_stack([np.ones(len(levels)), levels, *pairs])


def responses(name, seed=0):
    """54 runs whose model has the report's coefficients and residual sum of squares; the residuals are normal."""
    levels = np.array([trial.cell.levels for trial in DESIGN.trials()], float)
    terms = columns(levels)
    noise = np.random.default_rng(seed).normal(size=len(terms))
    noise -= terms @ np.linalg.lstsq(terms, noise, rcond=None)[0]
    noise *= np.sqrt(SQUARES[name][-1] / (noise @ noise))
    frame = pandas.DataFrame(levels, columns=list(FACTORS))
    return frame.assign(fitness=terms @ np.array(COEFFICIENTS[name]) + noise)
