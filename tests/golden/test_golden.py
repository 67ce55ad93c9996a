"""Whether all that is evolved, played and measured is what it was, figure by figure: see `tests.golden.runs`."""

import pytest

from tests.golden import runs

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What comes of all runs; they share a process and so are carried out together."""
    return runs.carry_out(runs.RUNS, tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def kept():
    return runs.read()


@pytest.mark.parametrize("name", runs.RUNS)
def test_every_figure_of_a_run_is_what_it_was(name, found, kept):
    assert name in kept, f"{name} is not in golden.json: python -m tests.golden.runs --write {name}"
    _, before = kept[name]
    after = found[name]
    assert not isinstance(after, str), f"{name} failed: {after}"
    changed = runs.differences(name, before, after)
    assert not changed, "\n".join(["figures have changed:", *changed])


def test_the_file_of_figures_is_as_it_was_written(kept):
    assert list(kept) == list(runs.RUNS)
    assert {name: one.digest for name, (_, one) in kept.items()} == {name: digest for name, (digest, _) in kept.items()}


def test_a_difference_is_told_by_run_generation_and_metric():
    before = runs.Outcome("(ADD 1 2)", "generation", {"best": [1, 2.5], "lost": [0, 0]})
    after = runs.Outcome("(ADD 1 3)", "generation", {"best": [1, 2.6, 3], "found": [0, 0, 0]})
    assert runs.differences("kalah", before, after) == [
        "kalah, champion: '(ADD 1 2)' before, '(ADD 1 3)' now",
        "kalah, generation 1, best: 2.5 before, 2.6 now",
        "kalah, generation 2, best: None before, 3 now",
        "kalah, found: new",
        "kalah, lost: gone",
    ]
    assert runs.differences("kalah", before, before) == []


def test_whole_numbers_are_equal_and_others_to_the_last_digit():
    assert runs.alike([1, None, "a", 2.5, 1], [1, None, "a", 2.5001, 1.0001])
    different = (3000, 3001), (2.5, 2.5002), (0.99999, 1.0002), (1, None), ([1], [1, 1]), ("(ADD 1 2)", "(ADD 1 3)")
    assert not any(runs.alike(*pair) or runs.alike(*pair[::-1]) for pair in different)


def test_figures_keep_the_digits_that_float32_can_be_trusted_with():
    assert runs.rounded([1.0, 2 / 3, 123456.7, -0.000012345678, None, True, "a"]) == [
        *(1, 0.66667, 123460, -1.2346e-05),
        *(None, True, "a"),
    ]
