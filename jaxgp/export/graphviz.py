"""Pictures of graphs by Graphviz, where it is installed."""

import shutil
import subprocess

PICTURES = ("svg", "png", "pdf")
"""Formats, by the endings of their files."""
SECONDS = 120


def is_installed() -> bool:
    """Tell whether the program `dot` is there."""
    return shutil.which("dot") is not None


def draw(text: str, picture: str) -> bytes:
    """Draw a graph.

    Args:
        text: in the DOT language.
        picture: one of `PICTURES`.

    Raises:
        OSError: `dot` is not installed, takes too long, or fails; the message quotes its last line of output.
    """
    try:
        made = subprocess.run(
            ["dot", f"-T{picture}"], input=text.encode(), capture_output=True, check=True, timeout=SECONDS
        )
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().splitlines()
        raise OSError(f"dot: {said[-1] if said else 'failed'}") from error
    except subprocess.TimeoutExpired as error:
        raise OSError(f"dot: not ready after {SECONDS} s") from error
    return made.stdout
