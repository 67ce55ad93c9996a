"""The machine and its device: what all other figures of `part=gpu` are from."""

import platform
from collections.abc import Iterator

import jax

from device.work import Row, Work
from measures import machine


def rows(work: Work) -> Iterator[Row]:
    """Yield one row."""
    device = jax.devices()[0]
    memory = (device.memory_stats() or {}).get("bytes_limit")
    yield {
        "part": "machine",
        "what": device.device_kind,
        "side": work.side,
        "platform": device.platform,
        "platform_version": getattr(device.client, "platform_version", ""),
        "bytes": memory,
        "jax": jax.__version__,
        "python": platform.python_version(),
        **machine.look()._asdict(),
    }
