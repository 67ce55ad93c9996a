"""Checkpoints: arrays only, one .npz per checkpoint, named by tree path, never pickle.

A file is written to a temporary name, synchronised and renamed, so a checkpoint is either complete or missing. Besides
the arrays it holds the digest of the configuration that made it.
"""

import errno
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, NamedTuple, TypeGuard, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp import files
from jaxgp.errors import show

Tree = TypeVar("Tree")

DIGEST = "__configuration__"
"""Entry of the file that is not an array of the state."""


NAME = re.compile(r"generation_(\d+)\.npz")
FULL = (errno.ENOSPC, errno.EDQUOT)
"""What the operating system says when there is no room."""
DAMAGES = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    MemoryError,
    OverflowError,
    RecursionError,
    SyntaxError,  # of the header of an array
    TypeError,
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,  # an encrypted part
)
"""What reading a damaged file may raise."""
ASIDE = ".unreadable"
"""Ending of a checkpoint that could not be used, once the run goes on from an older one."""


class UnreadableError(ValueError):
    """A checkpoint is cut off, damaged, or of another configuration; an older one may do."""


def save(folder: Path, generation: int, tree: object, digest: str, keep: int = 2) -> Path:
    """Write a state, then delete all but the newest `keep` checkpoints, and temporary files of killed processes.

    Args:
        folder: created if missing. Only one process may save into it.
        generation: names the file.
        tree: a pytree of arrays; typed random keys are allowed.
        digest: digest of the configuration; `load` compares it.
        keep: how many checkpoints are kept, at least 1.

    On a full disk, older checkpoints make room, all but the newest of them.

    Raises:
        OSError: it could not be written; the newest of the older checkpoints is untouched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*" + files.PART):
        stale.unlink()
    arrays = {name: _data(leaf) for name, leaf in _leaves(jax.device_get(_unwrap(tree)))}
    arrays[DIGEST] = np.array(digest)
    path = _path(folder, generation)
    older = [old for _, old in available(folder) if old != path]
    try:
        _write(path, arrays)
    except OSError as error:
        if error.errno not in FULL or len(older) < 2:
            raise
        _remove(older[1:])
        _write(path, arrays)
    _remove(older[keep - 1 :])
    return path


def take_over(folder: Path, before: str, now: str) -> None:
    """Give the checkpoints of a configuration the digest of another one, which says the same in more options.

    Args:
        folder: of checkpoints; those of other configurations, and those that cannot be read, stay as they are.
        before: their digest.
        now: the digest that `load` will ask for.

    Raises:
        OSError: one could not be written; it is as it was.
    """
    for _, path in available(folder):
        try:
            arrays = read(path)
        except UnreadableError:
            continue
        if DIGEST in arrays and str(arrays[DIGEST]) == before:
            _write(path, arrays | {DIGEST: np.array(now)})


def is_there(folder: Path, generation: int) -> bool:
    """Return whether the checkpoint of a generation is a file in a folder."""
    return _path(folder, generation).is_file()


def _path(folder: Path, generation: int) -> Path:
    return folder / f"generation_{generation:08d}.npz"


def _write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    files.write(path, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]


def _remove(old: Iterable[Path]) -> None:
    for path in old:
        path.unlink(missing_ok=True)


def available(folder: Path) -> list[tuple[int, Path]]:
    """Return (generation, file) of every checkpoint, newest first."""
    named = [(NAME.fullmatch(path.name), path) for path in folder.glob("generation_*")]
    return sorted(((int(found[1]), path) for found, path in named if found is not None), reverse=True)


class Newest(NamedTuple, Generic[Tree]):
    """The newest checkpoint that can be used.

    Attributes:
        generation: its number; -1 if there is none.
        tree: its content; what it was to be like, if there is none.
        unusable: newer files that cannot be used, each with the reason.
    """

    generation: int
    tree: Tree
    unusable: list[tuple[Path, str]]


def newest(
    folder: Path, like: Tree, digest: str, fault: Callable[[Tree, int], str] = lambda tree, generation: ""
) -> Newest[Tree]:
    """Read the newest checkpoint of a folder that can be used; see `load`.

    Arrays of the right shapes and types may still hold what no run has written there: `fault` says of the content of a
    checkpoint, and of its number, what is beyond its bounds; empty: nothing.
    """
    unusable: list[tuple[Path, str]] = []
    for generation, path in available(folder):
        try:
            tree = load(path, like, digest)
            if why := fault(tree, generation):
                raise UnreadableError(f"{path}: {why}")
            return Newest(generation, tree, unusable)
        except UnreadableError as error:
            unusable.append((path, str(error)))
    return Newest(-1, like, unusable)


def set_aside(path: Path) -> None:
    """Rename a checkpoint that could not be used, so that it is not taken for the newest; raises OSError."""
    path.rename(path.with_name(path.name + ASIDE))


def load(path: Path, like: Tree, digest: str) -> Tree:
    """Read a checkpoint into the structure of `like`.

    Raises:
        UnreadableError: the file is cut off or damaged, or belongs to another configuration: the digest, or the name,
            shape or type of an array differs.
    """
    arrays = read(path)
    if DIGEST not in arrays:
        raise UnreadableError(f"{path}: not a checkpoint of a run")
    if str(arrays.pop(DIGEST)) != digest:
        raise UnreadableError(f"{path}: was made with another configuration")
    wanted = _leaves(like)
    names = {name for name, _ in wanted}
    if names != set(arrays):
        missing, extra = show(sorted(names - set(arrays))), show(sorted(set(arrays) - names))
        raise UnreadableError(f"{path}: made by another version: missing {missing}, unexpected {extra}")
    leaves = [_restore(path, name, arrays[name], reference) for name, reference in wanted]
    restored: Tree = jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(like), leaves)
    return restored


def read(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a checkpoint by name; raises UnreadableError.

    What has been compressed is none, so no small file fills the memory.
    """
    try:
        with zipfile.ZipFile(_regular(path)) as archive:
            if sum(member.file_size for member in archive.infolist()) > path.stat().st_size:
                raise UnreadableError(f"{path}: damaged: its parts are larger than the whole")
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except UnreadableError:
        raise
    except DAMAGES as error:
        raise UnreadableError(f"{path}: damaged or cut off ({show(error) or type(error).__name__})") from error


def _regular(path: Path) -> Path:
    """Return the path of a file; raises UnreadableError for a directory, a pipe or a device."""
    if not path.is_file():
        raise UnreadableError(f"{path}: not a file")
    return path


def _restore(path: Path, name: str, data: np.ndarray, reference: object) -> jax.Array:
    expected = _data(reference)
    if (expected.shape, expected.dtype) != (data.shape, data.dtype):
        have, want = f"{data.dtype}{list(data.shape)}", f"{expected.dtype}{list(expected.shape)}"
        raise UnreadableError(f"{path}: {name} is {have}, but this configuration needs {want}")
    if _is_key(reference):
        return jax.random.wrap_key_data(jnp.asarray(data), impl=jax.random.key_impl(reference))
    return jnp.asarray(data)


def _leaves(tree: object) -> list[tuple[str, object]]:
    return [(jax.tree_util.keystr(path), leaf) for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]]


def _is_key(leaf: object) -> TypeGuard[jax.Array]:
    return isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _unwrap(tree: Tree) -> Tree:
    """Replace typed keys by their data, so that one transfer fetches everything."""
    return jax.tree.map(lambda leaf: jax.random.key_data(leaf) if _is_key(leaf) else leaf, tree)


def _data(leaf: object) -> np.ndarray:
    return np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf)
