"""CMA-ES with a diagonal covariance matrix in plain Python, number by number.

The update of N. Hansen, "The CMA Evolution Strategy: A Tutorial" (2016), figure 6 and table 1, without negative
weights. Only the variances are learnt, (n + 2) / 3 times as fast (Ros and Hansen, 2008).
"""

from math import exp, log, sqrt


class Plain:
    def __init__(self, mean, step):
        n = len(mean)
        self.mean, self.step, self.variances = list(mean), step, [1.0] * n
        self.path, self.step_path, self.updates = [0.0] * n, [0.0] * n, 0

    def update(self, drawn, fitness):
        """Move towards the fittest half of a sample, vectors of n numbers."""
        n, count = len(self.mean), len(drawn)
        best = [drawn[i] for i in sorted(range(count), key=lambda i: -fitness[i])[: count // 2]]
        weights = [log((count + 1) / 2) - log(rank) for rank in range(1, len(best) + 1)]
        weights = [one / sum(weights) for one in weights]
        effective = 1 / sum(one**2 for one in weights)

        c_sigma = (effective + 2) / (n + effective + 5)
        d_sigma = 1 + 2 * max(0, sqrt((effective - 1) / (n + 1)) - 1) + c_sigma
        c_c = (4 + effective / n) / (n + 4 + 2 * effective / n)
        c_1 = 2 / ((n + 1.3) ** 2 + effective)
        c_mu = min(1 - c_1, 2 * (effective - 2 + 1 / effective) / ((n + 2) ** 2 + effective))
        c_1 = min(1, c_1 * (n + 2) / 3)
        c_mu = min(1 - c_1, c_mu * (n + 2) / 3)
        chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))

        self.updates += 1
        old = list(self.mean)
        for k in range(n):
            self.mean[k] = sum(w * x[k] for w, x in zip(weights, best, strict=True))
            moved = (self.mean[k] - old[k]) / self.step
            self.step_path[k] = (1 - c_sigma) * self.step_path[k] + sqrt(
                c_sigma * (2 - c_sigma) * effective
            ) * moved / sqrt(self.variances[k])
        length = sqrt(sum(one**2 for one in self.step_path))
        goes = length / sqrt(1 - (1 - c_sigma) ** (2 * self.updates)) < (1.4 + 2 / (n + 1)) * chi
        for k in range(n):
            moved = (self.mean[k] - old[k]) / self.step
            self.path[k] = (1 - c_c) * self.path[k] + goes * sqrt(c_c * (2 - c_c) * effective) * moved
            spread = sum(w * ((x[k] - old[k]) / self.step) ** 2 for w, x in zip(weights, best, strict=True))
            kept = 1 - c_1 - c_mu + (0 if goes else c_1 * c_c * (2 - c_c))
            self.variances[k] = kept * self.variances[k] + c_1 * self.path[k] ** 2 + c_mu * spread
        self.step *= exp(c_sigma / d_sigma * (length / chi - 1))
