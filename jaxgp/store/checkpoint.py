"""Checkpoints: arrays only, one .npz per checkpoint, named by tree path, never pickle.

A file is written to a temporary name, synchronised and renamed, so a checkpoint is either complete or missing. Besides
the arrays it holds the digest of the configuration that made it.
"""

import re
import zipfile
import zlib
from pathlib import Path
from typing import TypeGuard, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp import files
from jaxgp.errors import UsageError

Tree = TypeVar("Tree")

DIGEST = "__configuration__"
"""Entry of the file that is not an array of the state."""


class UnreadableError(ValueError):
    """A checkpoint is cut off or damaged; an older one may do."""


def save(folder: Path, generation: int, tree: object, digest: str, keep: int = 2) -> Path:
    """Write a state, then delete all but the newest `keep` checkpoints, and temporary files of killed processes.

    Args:
        folder: created if missing. Only one process may save into it.
        generation: names the file.
        tree: a pytree of arrays; typed random keys are allowed.
        digest: digest of the configuration; `load` compares it.
        keep: how many checkpoints are kept, at least 1.

    Raises:
        OSError: it could not be written; older checkpoints are untouched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*" + files.PART):
        stale.unlink()
    arrays = {name: _data(leaf) for name, leaf in _leaves(jax.device_get(_unwrap(tree)))}
    arrays[DIGEST] = np.array(digest)
    path = folder / f"generation_{generation:08d}.npz"
    files.write(path, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]
    for old in _newest_first(folder)[keep:]:
        old.unlink()
    return path


def available(folder: Path) -> list[tuple[int, Path]]:
    """Return (generation, file) of every checkpoint, newest first."""
    return [(int(re.findall(r"\d+", path.stem)[-1]), path) for path in _newest_first(folder)]


def load(path: Path, like: Tree, digest: str) -> Tree:
    """Read a checkpoint into the structure of `like`.

    Raises:
        UnreadableError: the file is cut off or damaged.
        UsageError: it belongs to another configuration: the digest, or the name, shape or type of an array differs.
    """
    arrays = _read(path)
    if DIGEST not in arrays:
        raise UsageError(f"{path}: not a checkpoint of a run")
    if str(arrays.pop(DIGEST)) != digest:
        raise UsageError(f"{path}: was made with another configuration than the config.yaml of this run")
    wanted = _leaves(like)
    names = {name for name, _ in wanted}
    if names != set(arrays):
        missing, extra = sorted(names - set(arrays)), sorted(set(arrays) - names)
        raise UsageError(f"{path}: made by another version: missing {missing}, unexpected {extra}")
    leaves = [_restore(path, name, arrays[name], reference) for name, reference in wanted]
    restored: Tree = jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(like), leaves)
    return restored


def _read(path: Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise UnreadableError(f"{path}: damaged or cut off ({error or type(error).__name__})") from error


def _restore(path: Path, name: str, data: np.ndarray, reference: object) -> jax.Array:
    expected = _data(reference)
    if (expected.shape, expected.dtype) != (data.shape, data.dtype):
        have, want = f"{data.dtype}{list(data.shape)}", f"{expected.dtype}{list(expected.shape)}"
        raise UsageError(f"{path}: {name} is {have}, but this configuration needs {want}")
    if _is_key(reference):
        return jax.random.wrap_key_data(jnp.asarray(data), impl=jax.random.key_impl(reference))
    return jnp.asarray(data)


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob("generation_*.npz"), reverse=True)


def _leaves(tree: object) -> list[tuple[str, object]]:
    return [(jax.tree_util.keystr(path), leaf) for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]]


def _is_key(leaf: object) -> TypeGuard[jax.Array]:
    return isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _unwrap(tree: Tree) -> Tree:
    """Replace typed keys by their data, so that one transfer fetches everything."""
    return jax.tree.map(lambda leaf: jax.random.key_data(leaf) if _is_key(leaf) else leaf, tree)


def _data(leaf: object) -> np.ndarray:
    return np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf)
