"""What holds for all tests."""

import ctypes
import gc
import os
import signal
from collections import Counter
from pathlib import Path, PurePath

# Most tests compile a program to run it once on something small: without optimisation that takes a third less time.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")

# XLA's older emitters compile the same programs in half of the time, and one part of a program takes less than several.
# Two passes that look for what does not change in loops take a sixth of what is left, and change no result.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_extra_options=xla_cpu_disable_new_fusion_emitters --xla_cpu_parallel_codegen_split_count=1"
    " --xla_disable_hlo_passes=while-loop-invariant-code-motion,simplify-while-loops",
)

import jax
import pytest

from jaxgp.report import plots, waiting

# How long compiling takes here is said in no test that does not ask for it.
waiting.MOMENT = 3600.0

# One device, however many cores the scripts ask for that are tested in this process.
jax.config.update("jax_num_cpu_devices", 1)

# No garbage is collected until a process has grown, below: looking for it takes a tenth of what tracing and compiling
# take. What a file of tests leaves behind is not looked through again, where statsmodels collects for each correction
# of p-values.
gc.disable()


# Shells start commands in the background deaf to Ctrl-C, which tests send to this process and to others.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# What earlier tests have compiled takes gigabytes, and areas of memory, of which Linux gives a process 65,530: one
# program too many is a crash. What is forgotten goes back to the system where the C library can give it back.
STATM = Path("/proc/self/statm")
MOST = min(3 * 2**30, max(3 * 2**29, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 6))
"""Bytes that a process may take: forgetting, and compiling again what was forgotten, takes seconds each time."""
give_back = getattr(ctypes.CDLL(None), "malloc_trim", lambda kept: 0)


def resident():
    """Return the bytes of memory that this process takes; 0 where the system does not say."""
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if STATM.exists() else 0


@pytest.fixture
def optimized():
    """XLA optimises as it does for users; tests have it do without."""
    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", False)
    yield
    jax.config.update("jax_disable_most_optimizations", before)


@pytest.fixture(scope="module", autouse=True)
def _leave_what_stands():
    if resident() > MOST:
        gc.unfreeze()
        jax.clear_caches()
        gc.collect()
        give_back(0)
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark as thorough the cases of a test that those few stand for which it names; see CONTRIBUTING.md."""
    met = Counter()
    for item in items:
        few = item.get_closest_marker("few")
        if few and not any(item.iter_markers("slow")) and not any(item.iter_markers("thorough")):
            test = item.nodeid.partition("[")[0]
            met[test] += 1
            if met[test] > few.args[0]:
                item.add_marker("thorough")


BEGUN = pytest.StashKey[float]()


def cpu_seconds():
    """What this process has used so far, and its children that have ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    item.stash[BEGUN] = cpu_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    try:
        return (yield)
    finally:
        item.user_properties.append(("cpu_seconds", cpu_seconds() - item.stash[BEGUN]))


def pytest_terminal_summary(terminalreporter):
    """Say what the tests of each folder have cost, since there is a budget; see CONTRIBUTING.md."""
    spent = Counter()
    for report in terminalreporter.stats.get("", ()):
        folder = PurePath(report.nodeid.partition("::")[0]).parent
        spent[folder.as_posix()] += dict(report.user_properties).get("cpu_seconds", 0)
    dearest = ", ".join(f"{folder} {seconds:.0f}" for folder, seconds in spent.most_common() if seconds >= 1)
    terminalreporter.write_line(f"CPU seconds of tests: {spent.total():.0f}{dearest and f' ({dearest})'}")


PICTURES = plots.PLOTS


@pytest.fixture(scope="session", autouse=True)
def _one_picture():
    """A run that ends draws its fitness alone: the pictures of a toy cost more than all of its generations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "PLOTS", PICTURES[:1])
        yield


@pytest.fixture(scope="module")
def every_picture():
    """Draw all pictures of a run, for a test of what they show."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "PLOTS", PICTURES)
        yield
