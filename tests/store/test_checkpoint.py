import io
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp import files
from jaxgp.store import checkpoint
from tests.run.toy_experiment import first

ROOT = Path(__file__).parents[2]


def data(leaf):
    return np.asarray(checkpoint._data(leaf))


def assert_equal(one, other):
    assert jax.tree.structure(one) == jax.tree.structure(other)
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(data(a), data(b))


@pytest.fixture
def state():
    return first(jax.random.key(5), 8)


def test_every_leaf_comes_back_also_typed_keys_of_another_kind(tmp_path, state):
    tree = {"state": state, "other": jax.random.key(3, impl="rbg"), "list": [jnp.bool_(True), jnp.float32(jnp.inf)]}
    path = checkpoint.save(tmp_path / "new", 3, tree, "digest")
    like = jax.tree.map(lambda leaf: leaf, tree) | {"state": first(jax.random.key(0), 8)}
    assert_equal(checkpoint.load(path, like, "digest"), tree)


def test_the_newest_are_kept_and_leftovers_go(tmp_path, state):
    (tmp_path / "generation_00000009.npz.part").write_bytes(b"half")
    for generation in (5, 10, 15):
        checkpoint.save(tmp_path, generation, state, "d", keep=2)
    assert [generation for generation, _ in checkpoint.available(tmp_path)] == [15, 10]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_unreadable(tmp_path, state, share):
    path = checkpoint.save(tmp_path, 1, state, "d")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(checkpoint.UnreadableError, match=path.name):
        checkpoint.load(path, state, "d")


def test_flipped_bits_are_noticed(tmp_path, state):
    path = checkpoint.save(tmp_path, 1, state, "d")
    broken = bytearray(path.read_bytes())
    place = broken.index(data(state.population.value).tobytes()[:64])
    broken[place] ^= 0x10
    path.write_bytes(bytes(broken))
    with pytest.raises(checkpoint.UnreadableError):
        checkpoint.load(path, state, "d")


def test_another_shape_is_refused_by_name(tmp_path, state):
    path = checkpoint.save(tmp_path, 1, state, "d")
    with pytest.raises(checkpoint.UnreadableError, match=r"population\.opcode is int16\[8, 1, 4\].*int16\[9, 1, 4\]"):
        checkpoint.load(path, first(jax.random.key(5), 9), "d")


def test_another_type_is_refused(tmp_path, state):
    path = checkpoint.save(tmp_path, 1, state, "d")
    with pytest.raises(checkpoint.UnreadableError, match=r"generation is int32\[\], .*needs float32"):
        checkpoint.load(path, state.replace(generation=jnp.float32(0)), "d")


def test_other_names_are_refused(tmp_path, state):
    path = checkpoint.save(tmp_path, 1, state, "d")
    with pytest.raises(checkpoint.UnreadableError, match="unexpected"):
        checkpoint.load(path, state.replace(memory={}), "d")


def test_another_configuration_is_refused(tmp_path, state):
    path = checkpoint.save(tmp_path, 1, state, "one")
    with pytest.raises(checkpoint.UnreadableError, match="another configuration"):
        checkpoint.load(path, state, "two")


def test_checkpoints_of_one_configuration_are_taken_over_by_another(tmp_path, state):
    saved = [checkpoint.save(tmp_path, number, state, digest) for number, digest in enumerate(("one", "other"), 1)]
    damaged = tmp_path / "generation_00000003.npz"
    damaged.write_bytes(b"cut off")
    checkpoint.take_over(tmp_path, "one", "two")
    assert checkpoint.load(saved[0], state, "two").generation == state.generation
    with pytest.raises(checkpoint.UnreadableError, match="another configuration"):
        checkpoint.load(saved[1], state, "two")
    assert damaged.read_bytes() == b"cut off"


def test_foreign_archives_are_refused(tmp_path, state):
    np.savez(tmp_path / "a.npz", x=np.zeros(3))
    with pytest.raises(checkpoint.UnreadableError, match="not a checkpoint"):
        checkpoint.load(tmp_path / "a.npz", state, "d")
    np.savez(tmp_path / "b.npz", x=np.array([{}], dtype=object))  # would need pickle
    with pytest.raises(checkpoint.UnreadableError):
        checkpoint.load(tmp_path / "b.npz", state, "d")


def npy(path):
    with path.open("wb") as file:
        np.save(file, np.zeros(3))


def claims_too_much(path):
    """An array of three numbers whose header speaks of 10**12."""
    plain = io.BytesIO()
    np.save(plain, np.zeros(3))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", plain.getvalue().replace(b"(3,), }" + 12 * b" ", b"(1000000000000,), }"))


def bomb(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("x.npy", "w") as file:
        np.save(file, np.zeros(10**6))


HOSTILE = {
    "an array without an archive": npy,
    "a header of 10**12 numbers": claims_too_much,
    "a compressed archive": bomb,
    "a directory": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "a link to itself": lambda path: path.symlink_to(path),
    "nothing": lambda path: path.touch(),
    "text": lambda path: path.write_text("generation 7"),
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_checkpoint_is_unreadable(tmp_path, state, make):
    path = tmp_path / "generation_00000007.npz"
    make(path)
    with pytest.raises(checkpoint.UnreadableError, match=path.name):
        checkpoint.load(path, state, "d")


def test_only_files_that_are_named_like_checkpoints_are_ones(tmp_path, state):
    for name in ("generation_x.npz", "generation_.npz", "generation_00000009.npz.part", "x_generation_00000009.npz"):
        (tmp_path / name).touch()
    for generation in (99_999_999, 100_000_000):
        checkpoint.save(tmp_path, generation, state, "d")
    assert [generation for generation, _ in checkpoint.available(tmp_path)] == [100_000_000, 99_999_999]


def test_older_checkpoints_make_room_on_a_full_disk(tmp_path, state, monkeypatch):
    for generation in (1, 2, 3):
        checkpoint.save(tmp_path, generation, state, "d", keep=3)
    savez = np.savez

    def full_while_there_are_three(file, **arrays):
        if len(checkpoint.available(tmp_path)) == 3:
            raise OSError(28, "No space left on device")
        savez(file, **arrays)

    monkeypatch.setattr(np, "savez", full_while_there_are_three)
    checkpoint.save(tmp_path, 4, state, "d", keep=3)
    assert [generation for generation, _ in checkpoint.available(tmp_path)] == [4, 3]


def test_a_write_that_fails_leaves_the_old_checkpoint(tmp_path, state, monkeypatch):
    path = checkpoint.save(tmp_path, 1, state, "d")

    def full(file, **arrays):
        file.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space"):
        checkpoint.save(tmp_path, 2, state, "d")
    assert list(tmp_path.iterdir()) == [path]
    assert_equal(checkpoint.load(path, state, "d"), state)


def test_atomic_json_is_strict(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        files.write_json(tmp_path / "x.json", {"a": float("nan")})
    assert not list(tmp_path.iterdir())


WRITER = """
import sys
from pathlib import Path
import jax.numpy as jnp
from jaxgp.store import checkpoint
tree = {"big": jnp.zeros((512, 1024)), "step": jnp.int32(0)}
print("go", flush=True)
for step in range(1, 10**6):
    checkpoint.save(Path(sys.argv[1]), step, {name: leaf * 0 + step for name, leaf in tree.items()}, "d")
"""


def test_killing_a_writer_leaves_a_whole_newest_checkpoint(tmp_path):
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        while not checkpoint.available(tmp_path):
            time.sleep(0.01)
        time.sleep(0.2 * random.random())
        writer.send_signal(signal.SIGKILL)
    generation, path = checkpoint.available(tmp_path)[0]
    loaded = checkpoint.load(path, {"big": jnp.zeros((512, 1024)), "step": jnp.int32(0)}, "d")
    assert (np.asarray(loaded["big"]) == generation).all()
    assert int(loaded["step"]) == generation
