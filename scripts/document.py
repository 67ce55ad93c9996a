"""Write docs/options.md, the page of all options, from their declarations: python scripts/document.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import importlib
from dataclasses import dataclass

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import RunError, reason, reject
from jaxgp.options import option
from jaxgp.report.reference import page

SCRIPTS = ("evaluate", "play", "tournament", "export", "bench")
STUDIES = ("walls_arena", "walls_deepen", "walls_scaling", "walls_solve", "othello_arena", "othello_learn")


@dataclass
class Options:
    """Where the page goes."""

    output: str = option(str(Path(__file__).resolve().parents[1] / "docs" / "options.md"), "the file", path=True)


def schemas() -> dict[str, type]:
    """Return the options of every small command, by what starts it."""
    found = {f"scripts/{name}.py": importlib.import_module(name).Options for name in SCRIPTS}
    analyses = importlib.import_module("analyse").ANALYSES
    found |= {f"scripts/analyse.py analysis={name}": chosen.schema for name, chosen in analyses.items()}
    for name in STUDIES:
        found[f"scripts/studies/{name}.py"] = importlib.import_module(f"studies.{name}").Options
    return found


def content() -> str:
    """Return the page."""
    return page(envs, schemas())


def task(options: Options) -> int:
    """Write."""
    output = files.user_path("output", options.output)
    if not output.parent.is_dir() or (output.exists() and not output.is_file()):
        reject("output", options.output, "the name of a file, in a directory that exists")
    try:
        files.write_text(output, content())
    except OSError as error:
        raise RunError(f"output={options.output}: cannot be written ({reason(error)})") from error
    return 0


if __name__ == "__main__":
    raise SystemExit(arguments.main(Options, task, __doc__ or ""))
