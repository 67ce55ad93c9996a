"""The part of the benchmark that proves a device: what it compares, counts, and does within its time."""

import json
import subprocess
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from device import comparing, prove, table
from device.parts import configurations
from device.programs import ahead, generations, launches
from device.programs.iterations import Loops
from jaxgp.errors import RunError, UsageError
from jaxgp.run.assemble import assemble
from tests.golden import runs

HLO = """
%body.1 (p.1: (s32[], f32[4])) -> (s32[], f32[4]) {
  %p.1 = (s32[], f32[4]{0}) parameter(0)
  %i.1 = s32[] get-tuple-element(%p.1), index=0
  %x.1 = f32[4]{0} get-tuple-element(%p.1), index=1
  %add_fusion = f32[4]{0} fusion(%x.1), kind=kLoop, calls=%fused
  %copy.1 = s32[] copy(%i.1)
  ROOT %t.1 = (s32[], f32[4]{0}) tuple(%copy.1, %add_fusion)
}

%condition.1 (p.2: (s32[], f32[4])) -> pred[] {
  %p.2 = (s32[], f32[4]{0}) parameter(0)
  ROOT %less = pred[] fusion(%p.2), kind=kLoop, calls=%fused.2
}

%add.1 (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %zero = s32[] constant(0)
  %t = (s32[], f32[4]{0}) tuple(%zero, %x)
  %w = (s32[], f32[4]{0}) while(%t), condition=%condition.1, body=%body.1, metadata={op_name="jit(f)/while"}, """
HLO += """backend_config={"known_trip_count":{"n":"7"}}
  %y = f32[4]{0} get-tuple-element(%w), index=1
  ROOT %s = f32[4]{0} scatter(%y, %zero, %x), to_apply=%add.1, metadata={op_name="jit(f)/scatter-add"}
}
"""
MACHINE = {
    "part": "machine", "what": "NVIDIA H100", "side": "device", "platform": "gpu", "platform_version": "cuda",
    "jax": "1", "python": "3", "processor": "fast", "cores": 2, "megahertz": 2000, "load": 0.1,
}  # fmt: skip


def golden(side, fitness, size=3):
    figures = {"best_fitness": [1.0, fitness], "best_size": [1, size]}
    return {"part": "golden", "what": "kalah", "side": side, "figures": figures, "champion": {".code": [1, 2]}}


def test_launches_are_counted_by_loop():
    (depth, whole), (inner_depth, loop) = launches.count(HLO).walk()
    assert (depth, inner_depth) == (0, 1)
    assert (whole.launches, whole.trips) == (1, 1), "the scatter alone"
    assert (loop.launches, loop.trips, loop.path) == (3, 7, "jit(f)/while")
    assert loop.bytes == (16 + 16) + (4 + 4) + (1 + 20), "result and operands of each launch"


def test_scatters_are_listed_with_what_they_do():
    assert launches.scatters(HLO) == [("f32", "add", "jit(f)/scatter-add")]


def test_a_compiled_program_is_counted_as_it_is():
    x = jnp.arange(64.0)
    program = jax.jit(lambda x: jax.lax.fori_loop(0, 9, lambda _, x: jnp.cumsum(jnp.sin(x)), x)).lower(x).compile()
    loops = [loop for _, loop in launches.count(program.as_text()).walk()]
    assert len(loops) == 2
    assert all(loop.launches > 0 for loop in loops[1:])


def test_iterations_of_inner_loops_are_counted_by_the_branch_of_the_platform_and_results_stay():
    def step(x):
        def scanned(x, _):
            return jax.lax.cond(x > 1, lambda x: jax.lax.fori_loop(0, x, lambda _, x: x + 1, x), lambda x: 2 * x, x), x

        x, _ = jax.lax.scan(scanned, x, None, 4)  # 1, 2, 4, 8, 16
        here = {"cpu": lambda x: x, "default": lambda x: jax.lax.while_loop(lambda x: x < 100, lambda x: x + 21, x)}
        return {"x": jax.lax.platform_dependent(x, **here)}

    loops = Loops()
    result, count = jax.jit(loops.named(step))(jnp.int32(1))
    assert result == {"x": 100}, "by the way of a GPU"
    assert count[: len(loops)].tolist() == [4, 2 + 4 + 8, 4]
    result, count = jax.jit((there := Loops("cpu")).named(step))(jnp.int32(1))
    assert (result, len(there)) == ({"x": 16}, 2)
    text = jax.jit(Loops(counts=False).named(step)).lower(jnp.int32(1)).as_text(debug_info=True)
    assert all(f"loop{number}/" in text for number in range(3))


def test_launches_of_a_loop_are_those_of_its_iterations_times_their_number():
    text = HLO.replace("jit(f)/while", "jit(f)/loop3/while")
    counts = np.array([0, 0, 0, 500])
    assert [one.launches for one in generations.spent(text, counts)] == [1, 3 * 7], "as the compiler knows them"
    text = text.replace('"known_trip_count":{"n":"7"}', "")
    assert [(one.each, one.iterations, one.launches) for one in generations.spent(text, counts)] == [
        *((1, 1, 1), (3, 500, 1500)),
    ]


@pytest.mark.slow
def test_a_generation_of_kalah_launches_no_more_than_its_budget(monkeypatch):
    """What one iteration of each loop launches, in the program that XLA makes for an H100.

    In all it is far from the aim, `device.parts.compiled.BUDGET`: see docs/performance.md. This keeps it from growing.
    """
    if not ahead.available():
        pytest.skip("JAX's plugin for CUDA is not installed; scripts/device/programs/ahead.py says how to install it")
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    ring = assemble(configurations.generations()["Kalah"].config, envs).ring
    text = generations.compiled(ring, jax.eval_shape(ring.init, jax.random.key(0)))
    whole, *loops = [loop for _, loop in launches.count(text).walk()]
    assert whole.launches <= 140
    assert sum(loop.launches for loop in loops) <= 280
    assert max(loop.launches for loop in loops) <= 60
    assert [one for one in launches.scatters(text) if one[:2] == ("f32", "add")] == []


def test_integers_are_compared_to_the_bit_and_floats_by_tolerance():
    one = {"size": [1, 2], "fitness": [1000.0, float("nan")], "gone": [0]}
    assert comparing.differences(one, one) == ([], 5, 0.0)
    told, _, largest = comparing.differences(one, {"size": [1, 3], "fitness": [1000.001, float("nan")]})
    assert told == ["gone: on one side alone", "size at [1]: 2 on the CPU, 3 on the device"]
    assert 0 < largest < comparing.TOLERANCE
    assert comparing.differences({"x": [1.0]}, {"x": [1.1]})[0] == ["x at [0]: 1.0 on the CPU, 1.1 on the device"]
    assert comparing.differences({"x": [1]}, {"x": [1.0]})[0] == ["x: int64[1] and float64[1]"]
    assert not comparing.unlike(np.array([np.inf, 1]), np.array([np.inf, 1]))[0].any()


def test_the_table_names_what_differs_and_what_was_left_out():
    rows = [MACHINE, golden("cpu", 2.0), golden("device", 2.0)]
    assert table.wrong(rows) == []
    assert "Nothing that was compared differs." in table.markdown(rows)
    left = {"part": "rates", "side": "cpu", "what": "the rest", "left_out": "ended after 9 s"}
    rows = [MACHINE, golden("cpu", 2.0), golden("device", 2.5, 4), left]
    assert table.wrong(rows) == ["golden run kalah: best_fitness at [1]: 2.0 on the CPU, 2.5 on the device"]
    assert "| kalah | 2 | 6 | 2 | 0.2 |" in table.markdown(rows)
    assert "| rates | cpu | the rest | ended after 9 s |" in table.markdown(rows)
    assert "figures" not in json.dumps(table.content(rows)["rows"])


def test_rates_stand_beside_the_cpu_and_the_limit():
    what, unit = "interpreter in plain XLA, 256 positions a program", "node evaluations/s"
    rates = [
        {"part": "rates", "what": what, "batch": 4096, "unit": unit, "side": side, "value": value}
        for side, value in (("device", 1.675e10), ("cpu", 1.675e9))
    ]
    assert f"| {what} | 4,096 | 16,750,000,000 | 1,675,000,000 | 10 | {unit} | 10 % |" in table.markdown(
        [MACHINE, *rates]
    )


@pytest.fixture
def said(monkeypatch):
    """Let parts run a line of Python each instead of what they do."""

    def start(step, folder, seconds, on_cpu):
        part, side, _ = step
        lines, log = prove._files(folder, step)
        with lines.open("wb") as out, log.open("wb") as errors:
            code = f"row = {{'part': '{part}', 'side': '{side}', 'what': 'x'}}; {texts[part]}"
            return subprocess.Popen(
                [sys.executable, "-c", f"import json, time; {code}"], stdout=out, stderr=errors, start_new_session=True
            )

    texts = {}
    monkeypatch.setattr(prove, "_start", start)
    return texts


SAY = "print(json.dumps(row | {'load': 1}), flush=True); "


def test_a_part_that_takes_too_long_is_ended_and_named_and_what_it_has_found_is_kept(said, tmp_path):
    said |= {"slow": SAY + "time.sleep(60)", "broken": "raise SystemExit('no memory')", "good": SAY}
    said["good"] += "print(json.dumps({'part': 'good', 'side': 'cpu', 'ended': True}))"
    steps = [prove.Step(part, "cpu") for part in ("broken", "good", "slow")]
    begin = time.monotonic()
    rows = prove.prove(tmp_path, (prove.CLOSING + 4) / 60, True, steps)
    assert time.monotonic() - begin < 30
    assert {(row["part"], row.get("left_out", "")[:10]) for row in rows if "what" in row} == {
        *(("slow", ""), ("slow", "ended afte")),
        *(("broken", "failed: no"), ("good", "")),
    }
    assert "when its time was up" in (tmp_path / "table.md").read_text()
    assert len(json.loads((tmp_path / "table.json").read_text())["rows"]) == len(rows)


def test_no_gpu_is_told_in_one_line(said, tmp_path):
    said["machine"] = "row['platform'] = 'cpu'; print(json.dumps(row))"
    with pytest.raises(UsageError, match=r"^device=gpu: accepted: cpu, .*JAX finds no GPU here$"):
        prove.prove(tmp_path, 1, False, (prove.MACHINE, prove.Step("golden", "cpu")))
    assert not (tmp_path / "parts" / "golden.cpu.log").exists(), "nothing else is begun"


def test_a_gpu_that_is_there_is_proved(said, tmp_path):
    end = "print(json.dumps({{'part': '{part}', 'side': 'device', 'ended': True}}))"
    said["machine"] = f"row |= {MACHINE}; {SAY}" + end.format(part="machine")
    said["compiled"] = SAY + end.format(part="compiled")
    rows = prove.prove(tmp_path, 1, False, (prove.MACHINE, prove.Step("compiled", "device")))
    assert [row["part"] for row in rows if row.get("ended")] == ["machine", "compiled"]
    assert "NVIDIA H100 (gpu, cuda)" in (tmp_path / "table.md").read_text()


def test_who_measures_time_is_alone_and_waits_for_all_others(said, tmp_path):
    said["slow"] = "time.sleep(1); " + SAY
    for part in ("first", "second"):
        said[part] = (
            f"import sys; sys.path[:0] = [{str(prove.SCRIPTS)!r}, {str(prove.SCRIPTS.parent)!r}]; "
            "from pathlib import Path; from device.work import Work; "
            f"work = Work('cpu', '', True, 60, 0, Path({str(tmp_path)!r}))\n"
            "with work.alone():\n"
            "    begin = time.time(); time.sleep(0.4)\n"
            "    print(json.dumps(row | {'times': [begin, time.time()]}), flush=True)"
        )
    rows = prove.prove(tmp_path, 1, True, tuple(prove.Step(part, "cpu") for part in ("first", "second", "slow")))
    assert next(row["part"] for row in rows if "what" in row and "left_out" not in row) == "slow"
    (_, ended), (begun, _) = sorted(row["times"] for row in rows if "times" in row)
    assert begun >= ended


def test_a_device_that_computes_something_else_is_an_error(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(prove, "prove", lambda *_: [MACHINE, golden("cpu", 2.0), golden("device", 2.5)])
    with pytest.raises(RunError, match="golden run kalah: best_fitness"):
        prove.run(tmp_path, 1, False)
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["wrong"]


@pytest.mark.thorough
def test_configurations_are_those_of_the_golden_runs_and_of_conf():
    words = {name: " ".join(run.words.split()) for name, run in runs.RUNS.items() if run.script == "train"}
    assert configurations.compose(words) == configurations.golden(), "python -m tests.golden.runs --configurations"
    assert configurations.compose(configurations.GENERATIONS) == configurations.generations()


@pytest.mark.thorough
def test_all_parts_are_done_on_a_cpu_at_their_smallest_size(tmp_path):
    rows = prove.prove(tmp_path, 10, True)
    assert [row for row in rows if "left_out" in row] == []
    assert {row["part"] for row in rows if row.get("ended")} == {step.part for step in prove.SMALLEST}
    (run,) = table.golden(rows)
    assert (run["generations"], run["differ"]) == (5, [])
    assert [row["differ"] for row in rows if row["part"] == "resumed"] == [[], []]
    (kalah,) = [row for row in rows if row["part"] == "plies" and "what" in row]
    assert (kalah["differ"], kalah["oracle_differs"], kalah["oracle_plies"]) == (0, 0, 1000)
    assert table.wrong(rows) == []
    assert {file.name for file in tmp_path.iterdir()} >= {"table.md", "table.json", "trace_device.json.gz"}
