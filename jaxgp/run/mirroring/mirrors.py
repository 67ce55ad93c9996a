"""Which mirrors of its record a run has: `logger.mode` chooses."""

from jaxgp.printable import one_line
from jaxgp.run.loop import Observer, Run
from jaxgp.run.mirroring import messages


def of(run: Run) -> list[Observer]:
    """Return what follows a run beside its record. A failure of it is a warning of the run, and nothing more."""
    try:
        return _chosen(run)
    except ImportError as error:
        run.warn(f"logger.mode={run.config.logger.mode}: not used ({one_line(error)})")
        return []


def _chosen(run: Run) -> list[Observer]:
    # Each is imported late: most runs have one, or none.
    match messages.mode(run):
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
