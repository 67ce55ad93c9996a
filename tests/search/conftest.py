"""Both ways in which a CPU searches puzzles."""

import pytest

from jaxgp.native import build
from jaxgp.search.puzzles.native.run import why_not
from tests.search.puzzles import Lamps


@pytest.fixture(params=["native", "lanes"])
def way(request, monkeypatch):
    """In C++, or in the lanes of plain XLA. The tests below `tests/search` are of both."""
    monkeypatch.setenv(build.SWITCH, "on" if request.param == "native" else "off")
    if request.param == "native" and (why := why_not(Lamps(), None)):
        pytest.skip(f"not searched natively here: {why}")
    return request.param
