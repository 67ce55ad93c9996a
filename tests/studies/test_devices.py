"""The study of islands on devices: its table, and what it says when a run fails."""

import pytest

from jaxgp.errors import RunError
from studies.growth import devices


def test_the_table_has_a_row_for_each_number_of_devices():
    found = [devices.Times(1, 30.0, (2.0, 4.0, 3.0)), devices.Times(2, 33.4, (1.5, 2.0))]
    _, _, *rows = devices.table(found, grows=False)
    assert rows == ["| 1 | 3.00 | 2.00 | 1.00 | 30 |", "| 2 | 1.75 | 1.50 | 1.71 | 33 |"]


def test_where_the_work_grows_with_the_devices_twice_as_many_do_twice_as_much_in_the_same_time():
    found = [devices.Times(2, 30.0, (3.0,)), devices.Times(4, 33.4, (3.0,))]
    _, _, *rows = devices.table(found, grows=True)
    assert [row.split(" | ")[3] for row in rows] == ["1.00", "2.00"]


@pytest.mark.thorough
def test_a_run_that_is_refused_is_told_in_one_line():
    options = devices.Options(run=["game=mancala", "algorithm.islands.count=8"])
    with pytest.raises(RunError, match=r"^devices=3: devices\.count=3: accepted: a divisor of .*: 1, 2, 4, 8$"):
        devices.measure(options, 3)
