"""Compiles for a GPU that is not there: the plugin of JAX for CUDA needs none for that, only to know what it is like.

    pip install jax-cuda12-plugin jax-cuda12-pjrt nvidia-cuda-nvcc-cu12

with the version of JAX that is installed, into an environment of its own, since JAX would look for a GPU everywhere.
What comes of it cannot be run here, but read: its launches, and what it needs of the memory.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import jax
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding
from jax.stages import Compiled

from jaxgp import terminal

H100 = """
gpu_device_info {
  threads_per_block_limit: 1024
  threads_per_warp: 32
  shared_memory_per_block: 49152
  shared_memory_per_core: 233472
  threads_per_core_limit: 2048
  core_count: 132
  fpus_per_core: 128
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  memory_bandwidth: 3352320000000
  l2_cache_size: 52428800
  clock_rate_ghz: 1.98
  device_memory_size: 84929347584
  shared_memory_per_block_optin: 232448
  cuda_compute_capability { major: 9 }
  registers_per_core_limit: 65536
  registers_per_block_limit: 65536
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 7 }
runtime_version { major: 12 minor: 9 patch: 0 }
device_description_str: "NVIDIA H100 80GB HBM3"
"""
"""What XLA asks about an H100, as its protocol buffer `GpuTargetConfigProto` has it."""


def available() -> bool:
    """Say whether the plugin is installed."""
    return any(importlib.util.find_spec(name) is not None for name in terminal.GPU)


@contextmanager
def as_if_there() -> Iterator[None]:
    """Let Pallas lower kernels for an H100 where there is no GPU; JAX 0.11 asks what GPU it is."""
    try:
        gpu_info = importlib.import_module("jax._src.pallas.triton.gpu_info")
    except ImportError:  # JAX 0.10 does not ask
        yield
        return
    known = gpu_info._get_gpu_info_impl(gpu_info.GpuVersion.H100)
    with mock.patch.object(gpu_info, "get_gpu_info", return_value=known):
        yield


def compile_for(target: str, function: Callable[..., Any], *arguments: Any) -> Compiled:
    """Compile a function for a GPU of which only the target is known.

    Args:
        target: what XLA asks about it, such as `H100`.
        function: to be compiled.
        arguments: trees of arrays, or of their shapes.
    """
    topology = topologies.get_topology_desc(platform="cuda", target_config=target, topology="1x1x1")
    there = SingleDeviceSharding(topology.devices[0])
    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=there), arguments)
    with as_if_there():
        return jax.jit(function).trace(*shapes).lower(lowering_platforms=("cuda",)).compile()
