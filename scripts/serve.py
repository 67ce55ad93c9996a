"""Serve a page on this machine: watch runs evolve, play any game, ask why. Nothing comes from the network.

    python scripts/serve.py                                all runs below outputs/
    python scripts/serve.py runs=[FOLDER,FOLDER]           those below other folders
    python scripts/serve.py run=outputs/mine               one run
    python scripts/serve.py run=docs/reversi_champion.json     a champion, to play against
    python scripts/serve.py game=othello                   a game; game=path/to/folder: one outside the project
    python scripts/serve.py "engines=[gtp-rhino -l 1]" programs=[FILE]     further opponents

It prints an address, and serves until Ctrl-C. The game's settings, players and opponents are chosen on the page. Needs
the extra .[web].
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import errno
import os
import secrets
import shlex
import shutil
import socket
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import envs
from jaxgp.config import arguments, games
from jaxgp.config.arguments import option
from jaxgp.errors import UsageError, reason, reject, require
from jaxgp.files import user_path

CONFIG_DIR = Path(__file__).resolve().parents[1] / "conf"
OUTPUTS = "outputs"
TRIED = 100
"""Ports after one that is in use, of which the first free one is named."""


@dataclass(kw_only=True)
class Options:
    """What is on the page, and who reaches it."""

    runs: list[str] = option([OUTPUTS], "folders that are searched for runs, with all folders in them")  # noqa: RUF009
    run: str | None = option(
        None,
        "a run directory, a champion file, or FILE.jsonl#SEED; the address leads to it, and `runs` is not searched",
        path=True,
    )
    game: dict[str, Any] = option(  # noqa: RUF009
        {"name": None}, "a game, or its folder if it is outside the project; the address leads to it"
    )
    host: str = option(
        "127.0.0.1", "the address that is listened at; any but this machine's own needs the token that is printed"
    )
    port: int = option(8000, "the port that is listened at; 0: one that is free", low=0, high=65535)
    token: str | None = option(
        None, "what a browser has to show once; null: nothing on this machine, elsewhere one that is made and printed"
    )
    games: int = option(
        50, "games that are open at once; those unused for longest are put away to files", low=1, high=500
    )
    workers: int = option(2, "processes that think at once", low=1, high=64)
    thinking: float = option(30.0, "how long one move or hint may take", low=1, high=3600, unit="seconds")
    idle: float = option(
        600.0,
        "after which a process that nobody asks is ended, and a game that nobody looks at put away",
        low=1,
        high=86400,
        unit="seconds",
    )
    engines: list[str] = option([], "commands of engines outside, which can be chosen as opponents")  # noqa: RUF009
    programs: list[str] = option([], "files with a program or a rule list, which can be chosen as opponents")  # noqa: RUF009
    saved: str = option("outputs/games", "the folder that games are saved in, as play.py reads them", path=True)


def task(options: Options) -> int:
    """Check everything, print the address, and serve."""
    require("scripts/serve.py", ("starlette", "uvicorn"), "web")
    os.environ["JAX_PLATFORMS"] = "cpu"  # one position at a time: a GPU would only add latency
    from jaxgp.web import app, guard
    from jaxgp.web.play.hall import Hall
    from jaxgp.web.play.thinkers import Thinkers
    from jaxgp.web.watch.runs import Runs

    found, settings = games.resolve_game(options.game, envs, CONFIG_DIR)
    if len(options.game) > 1:
        raise UsageError("game: settings of the rules are chosen on the page; leave them out")
    runs = Runs(*searched(options))
    token = options.token
    if token is None and not guard.is_local(options.host):
        token = secrets.token_urlsafe(16)
    if token is not None and (len(token) < 8 or not token.isascii() or not token.isprintable()):
        reject("token", token, "8 or more characters of ASCII, or null")
    listening = bind(options.host, options.port)
    thinkers = Thinkers(partial(think, options.game), options.workers, options.thinking, options.idle)
    stems = {path.stem for path in (CONFIG_DIR / "game").glob("*.yaml")}
    names = sorted({*found.available(), *stems})
    resolve = partial(settings_of, found)
    given = [*map(engine, options.engines), *map(program, options.programs)]
    hall = Hall(
        found, names, resolve, runs, thinkers, user_path("saved", options.saved), options.games, given, options.idle
    )
    site = app.Site(runs, hall, options.host, token)
    named = options.game.get("name")
    asked = named if named in names else settings.get("name")  # the name of a folder is the last part of it
    path = "/run/0" if options.run else f"/new?game={asked}" if asked else "/"
    if token is not None:
        path += f"{'&' if '?' in path else '?'}token={token}"
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    app.server(site, lambda: print(f"http://{shown}:{port}{path}", flush=True)).run(sockets=[listening])
    return 0


def settings_of(source: "games.Games", name: str) -> dict[str, Any]:
    """Return the name of a game and the settings that a file of the configuration gives it."""
    return games.resolve_game({"name": name}, source, CONFIG_DIR)[1]


def engine(command: str) -> dict[str, Any]:
    """Return an engine as a player; raises UsageError for a program that is not there."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"engines={command}: {error}") from error
    if not words or shutil.which(words[0]) is None:
        reject("engines", command, "the command of a program that is installed")
    return {"kind": "engine", "command": command}


def program(file: str) -> dict[str, Any]:
    """Return what a file holds as a player; raises UsageError where there is no such file."""
    path = user_path("programs", file).resolve()
    if not path.is_file():
        reject("programs", file, "a file with a program, or with a rule on each line")
    return {"kind": "program", "file": str(path)}


def searched(options: Options) -> tuple[list[Path], list[Path]]:
    """Return the folders that are searched for runs, and the one run that is asked for; raises UsageError."""
    if options.run is not None:
        path = user_path("run", options.run).resolve() if "#" not in options.run else user_path("run", options.run)
        file = path if path.exists() else path.with_name(path.name.partition("#")[0])
        if not file.exists():
            reject("run", options.run, "a run directory, or a champion file")
        return [], [path]
    folders = []
    for name in options.runs:
        folder = user_path("runs", str(name))
        if not folder.is_dir() and options.runs != [OUTPUTS]:
            reject("runs", name, "folders that exist")
        folders.append(folder)
    return folders, []


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; raises UsageError, which names a port that is free."""
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError) as error:
        raise UsageError(f"host={host}: accepted: an address of this machine ({error})") from error
    for tried in range(port, min(port + TRIED, 65536)):
        listening = socket.socket(family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((where[0], tried, *where[2:]))
            listening.listen()
        except OSError as error:
            listening.close()
            if error.errno != errno.EADDRINUSE:
                name, value = ("port", port) if isinstance(error, PermissionError) else ("host", host)
                raise UsageError(f"{name}={value}: cannot be listened at ({reason(error)})") from error
            continue
        if tried == port:
            return listening
        listening.close()
        raise UsageError(f"port={port}: in use; port={tried} is free")
    raise UsageError(f"port={port}: in use, as are the {TRIED} after it; accepted: 0 for one that is free")


def think(game: dict[str, Any], pipe: Connection) -> None:
    """Think in a process of its own; see `jaxgp.web.play.worker`."""
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.web.play import worker

    use_compilation_cache("~/.cache/jaxgp")
    worker.work(pipe, games.resolve_game(game, envs, CONFIG_DIR)[0])


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
