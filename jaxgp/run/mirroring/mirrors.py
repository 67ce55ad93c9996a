"""Which mirrors of its record a run has: `logger.mode` chooses."""

from jaxgp.run.loop import Observer, Run


def of(run: Run) -> list[Observer]:
    """Return what follows a run beside its record. A failure of it is a warning of the run, and nothing more."""
    # Each is imported late: most runs have one, or none.
    match run.config.logger.mode:
        case "csv":
            from jaxgp.run.mirroring.sheet import Sheet

            return [Sheet(run)]
        case "tensorboard":
            from jaxgp.run.mirroring.events import Events

            return [Events(run)]
        case "offline" | "online":
            from jaxgp.run.mirroring.tracking import Tracker

            return [Tracker(run)]
    return []
