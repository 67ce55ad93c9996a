"""The games on the page: who can play what, new games, those that are open, and those that were put away to files."""

import hashlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxgp import files, reading
from jaxgp.config import quoting
from jaxgp.errors import UsageError, reject
from jaxgp.options import DEEPEST, MAX_SEED, list_options
from jaxgp.printable import plies
from jaxgp.web.play.thinkers import Thinkers
from jaxgp.web.watch.runs import LARGEST, RunEntry, Runs

if TYPE_CHECKING:
    from jaxgp.games.outside import Games

DEPTH = 4
"""Plies of a search that nobody gives another depth."""
MOST_CHAMPIONS = 50
"""Champions that are offered as opponents."""
RESTING = ("person", "stopped", "over", "failed", "paused")
"""States of a game in which nothing happens."""
MOST_FILES = 10_000
LARGEST_WORD = 4000
"""Characters of a setting."""


@dataclass(frozen=True)
class Offer:
    """What can be played.

    Attributes:
        name: of the game, or of a file of the configuration.
        cast: the game, with the settings that were asked for.
        settings: (name, value, what it means, choices) of each setting of its rules.
        players: by the word that chooses them, what they are called; the first one is a person.
        usual: the word of the usual opponent.
        evaluators: of searches.
    """

    name: str
    cast: Any
    settings: list[tuple[str, Any, str, tuple[str, ...]]]
    players: dict[str, str]
    usual: str
    evaluators: list[str]


class Hall:
    """All games.

    Args:
        games: where games come from.
        names: the names that can be asked for: those of games, and of files of the configuration.
        resolve: one of these names -> the name of a game and some settings.
        runs: whose champions play.
        thinkers: processes that think.
        folder: where games are saved.
        most: games that are open at once.
        given: kinds and options of further players, engines and programs, of which each game offers those that fit.
        idle: seconds after which a game that nobody looks at is put away.
    """

    def __init__(
        self,
        games: "Games",
        names: list[str],
        resolve: Callable[[str], dict[str, Any]],
        runs: Runs,
        thinkers: Thinkers,
        folder: Path,
        most: int,
        given: Sequence[Mapping[str, Any]] = (),
        idle: float = 600.0,
    ) -> None:
        self.games, self.names, self.thinkers = games, names, thinkers
        self._given = [dict(one) for one in given]
        self._resolve, self._runs, self._folder, self._most = resolve, runs, folder, most
        self._open: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._made, self._idle, self._closed = 0, idle, threading.Event()
        threading.Thread(target=self._reap, daemon=True).start()

    def offer(self, name: str, settings: Mapping[str, Any] | None = None) -> Offer:
        """Return what can be played of a game; raises UsageError."""
        from jaxgp.config.games import cast_of
        from jaxgp.config.schema import Config
        from jaxgp.contracts import Problem
        from jaxgp.seats.options import player

        if name not in self.names:
            reject("game", name, ", ".join(self.names))
        cast = cast_of(Config(game=self._resolve(name) | dict(settings or {}), program={}), self.games)
        if isinstance(cast.game, Problem):
            raise UsageError(f"{name} is a problem, whose answer is a tree; play.py shows it")
        if cast.simulated:
            raise UsageError(
                f"{cast.game.name} is a simulation, in which nobody moves by turns; its runs can be watched"
            )
        found = {"human": "a person"}
        found |= {f"champion:{one.number}": _champion(one) for one in self._champions(cast.game.name)}
        evaluators: list[str] = []
        if not player("search").unfit(cast):
            found["search"] = "a search"
            evaluators = list(cast.spec.evaluators(cast.game))
        if not player("strategy").unfit(cast):
            found |= {f"strategy:{one}": f"strategy {one}" for one in cast.spec.strategies}
        found |= {f"given:{n}": _named(one) for n, one in enumerate(self._given) if _fitting(one, cast) is not None}
        found["random"] = "random moves"
        usual = "search" if "search" in found else next((one for one in found if one.startswith("strategy")), "random")
        listed = [
            (
                one.name,
                getattr(cast.game, one.name),
                one.limits.says,
                ("true", "false") if bool in one.kinds else one.choices,
            )
            for one in list_options(cast.game)
            if not one.limits.path and not one.limits.own
        ]
        return Offer(name, cast, listed, found, usual, evaluators)

    def _champions(self, game: str) -> list[RunEntry]:
        fitting = [one for one in self._runs.all() if one.facts["game"] == game and one.has_champion]
        return fitting[:MOST_CHAMPIONS]

    def create(self, form: Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> Any:
        """Return a new game.

        Args:
            form: texts by name: `game`, its settings as `game.NAME`, `first` and `second`, words of `Offer.players`,
                `first_depth`, `first_evaluator` and so on, `seed`.
            settings: of the rules, beside those of the form.

        Raises:
            UsageError: something that is not accepted; the message says what is.
        """
        from jaxgp.host.savedgame import settings_of
        from jaxgp.seats.moves import Stepper, game_key

        texts = {name: value for name, value in form.items() if isinstance(value, str) and len(value) <= LARGEST_WORD}
        asked = {name[5:]: _read(name, value) for name, value in texts.items() if name.startswith("game.")}
        offer = self.offer(texts.get("game", ""), dict(settings or {}) | asked)
        game = offer.cast.game
        places = ("first",) if game.seats == 1 else ("first", "second")
        chairs = [self._chair(place, texts, offer) for place in places]
        seed = _whole("seed", texts.get("seed") or "0", 0, MAX_SEED)
        offer.cast.spec.vet(game)
        return self._add(offer.cast.spec, Stepper(game, game_key(seed)), chairs, settings_of(game))

    def _chair(self, place: str, texts: Mapping[str, str], offer: Offer) -> Any:
        """Return who has a seat; raises UsageError."""
        from jaxgp.config.games import describe_game
        from jaxgp.host.savedgame import settings_of
        from jaxgp.measure import champions
        from jaxgp.web.play.pagegame import Chair
        from jaxgp.web.play.worker import options_of

        word = texts.get(place, "human")
        if word not in offer.players:
            reject(place, word, ", ".join(offer.players))
        kind, _, value = word.partition(":")
        if kind == "human":
            return Chair(None, "person")
        written = texts.get(f"{place}_depth", "")
        given = {"depth": _whole(f"{place}_depth", written, 1, DEEPEST)} if written else {}
        cast, run, name = offer.cast, None, offer.players[word]
        player: dict[str, Any] = {"kind": kind}
        if kind == "search":
            player |= {"depth": DEPTH, "ties": "random", **given, "evaluator": texts.get(f"{place}_evaluator") or None}
            name = f"search, {plies(player['depth'])}"
        elif kind == "strategy":
            player["name"] = value
        elif kind == "given":
            player = _fitting(self._given[int(value)], cast) or {}
        elif kind == "champion":
            entry = self._runs.find(int(value))
            assert entry is not None, "it was offered"
            run, settings = self._champion_of(entry), settings_of(cast.game)
            try:
                cast = champions.load(run, self.games, asked=settings).cast
            except UsageError as error:
                raise UsageError(f"{place}: the champion does not play {describe_game(cast.game)}: {error}") from error
            player |= given
        options_of(player).check(place, cast)
        return Chair(player, name, run)

    def _champion_of(self, entry: RunEntry) -> str:
        """Return where the champion of a run is; of a run that goes on, a copy, which stays as it is."""
        if entry.facts["state"] != "running":
            return str(entry.path)
        try:
            text = reading.read_text(entry.directory.champion, LARGEST)
        except (OSError, ValueError) as error:
            raise UsageError(f"the champion of {entry.name} cannot be read: {error}") from error
        path = self._copies / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        files.save_text("saved", path, text)
        return str(path)

    @property
    def _copies(self) -> Path:
        return self._folder / "champions"

    def _add(self, spec: Any, stepper: Any, chairs: Any, settings: dict[str, Any], **more: Any) -> Any:
        """Open a game; the one that was not used for longest is put away if there are too many."""
        from jaxgp.web.play.pagegame import PageGame

        with self._lock:
            self._made += 1
            name = more.pop("name", f"{spec.name}-{time.strftime('%Y%m%d-%H%M%S')}-{self._made}")
            keep = lambda text: self._save(name, text)  # noqa: E731
            made = PageGame(name, spec, stepper, chairs, settings, self.thinkers, keep, **more)
            while len(self._open) >= self._most:
                oldest = min(self._open.values(), key=lambda one: one.touched)
                self._open.pop(oldest.name).close()
            self._open[name] = made
        return made

    def _save(self, name: str, text: str) -> None:
        path = self._folder / f"{name}.json"
        self._folder.mkdir(parents=True, exist_ok=True)
        files.save_text("saved", path, text)

    def saved(self) -> dict[str, Path]:
        """Return the files of games, by the names of the games, the newest first."""
        found: dict[str, Path] = {}
        with suppress(OSError):
            listed = [path for path in self._folder.glob("*.json") if path.is_file() and not path.is_symlink()]
            listed.sort(key=lambda path: path.stat().st_mtime, reverse=True)
            found = {path.stem: path for path in listed[:MOST_FILES]}
        return found

    @property
    def open(self) -> dict[str, Any]:
        """The games that are open, by name."""
        with self._lock:
            return dict(self._open)

    def peek(self, name: str) -> Any:
        """Return a game that is open, which counts as looked at; None: it is not open. Waits for nothing."""
        found = self._open.get(name)
        if found is not None:
            found.touched = time.monotonic()
        return found

    def find(self, name: str) -> Any:
        """Return a game, open or saved; its players wait until somebody lets them go on. Raises UsageError."""
        with self._lock:
            found = self.peek(name)
        if found is not None:
            return found
        path = self.saved().get(name)
        if path is None:
            raise UsageError("there is no game at this address")
        return self._restored(name, path)

    def _restored(self, name: str, path: Path) -> Any:
        from jaxgp.host import savedgame

        played = savedgame.read(str(path), self.games, option="game")
        seats = reading.read_json(path).get("seats")
        chairs = [self._chair_again(one) for one in seats] if isinstance(seats, list) else []
        if len(chairs) != played.game.seats:
            chairs = [self._chair_again({})] * played.game.seats
        ended = bool(played.moves[-1].state.terminated)
        game = self._add(
            played.spec,
            played.stepper,
            chairs,
            savedgame.settings_of(played.game),
            record=played.moves,
            paused=True,
            name=name,
        )
        if ended or all(one.player is None for one in chairs):
            game.go_on()
        return game

    def _chair_again(self, given: object) -> Any:
        """Return who had a seat; a person where the file does not say, or names a run that is not here."""
        from jaxgp.web.play.pagegame import Chair
        from jaxgp.web.play.worker import options_of

        with suppress(UsageError, TypeError, KeyError, ValueError):
            seat: dict[str, Any] = dict(given)  # type: ignore[call-overload]
            player, run = seat["player"], seat.get("run")
            known = {str(one.path) for one in self._runs.all()} | {str(one) for one in self._copies.glob("*.json")}
            if not isinstance(player, dict):
                return Chair(None, "person")
            listed = {name: value for name, value in player.items() if name != "protocol"} in self._given
            if listed or player.get("kind") in ("champion", "search", "strategy", "random"):
                options_of(player)
                if (player["kind"] == "champion") == (run in known):
                    return Chair(player, str(seat["name"])[:200], run)
        return Chair(None, "person")

    def go_on_from(self, game: Any, move: int) -> Any:
        """Return a new game that begins with the first moves of another one; raises UsageError."""
        if not 0 <= move < len(game.record):
            reject("move", move, f"a whole number from 0 to {len(game.record) - 1}")
        record = list(game.record[: move + 1])
        return self._add(game.spec, game.stepper, game.chairs, game.settings, record=record)

    def _reap(self) -> None:
        """Put games away that nobody looks at; those in which players think by themselves go on."""
        while not self._closed.wait(min(1.0, self._idle)):
            now = time.monotonic()
            with self._lock:
                idle = [one for one in self._open.values() if now - one.touched > self._idle and one.waiting in RESTING]
                for one in idle:
                    self._open.pop(one.name).close()

    def close(self) -> None:
        """Put all games away."""
        self._closed.set()
        for game in self.open.values():
            game.close()


def _fitting(given: Mapping[str, Any], cast: Any) -> dict[str, Any] | None:
    """Return a player that was given, as it plays a game; None: it cannot."""
    from jaxgp.web.play.worker import options_of

    player = dict(given)
    if player["kind"] == "engine" and cast.spec.dialect is not None:
        player["protocol"] = cast.spec.dialect(cast.game).protocol
    with suppress(UsageError):
        made = options_of(player)
        made.check("player", cast)
        if player["kind"] == "program":
            made.hand("player", cast)
        return player
    return None


def _named(given: Mapping[str, Any]) -> str:
    return f"engine {given['command']}" if given["kind"] == "engine" else f"program {Path(given['file']).name}"


def _champion(entry: RunEntry) -> str:
    """Return what a champion is called: by its folder or file, and the title of its run."""
    title = f", {entry.facts['title']}" if entry.facts["title"] else ""
    return f"champion of {entry.path.name}{title}"


def _read(name: str, value: str) -> Any:
    try:
        return quoting.read(value)
    except ValueError as error:
        raise UsageError(f"{name}: cannot be read: {error}") from error


def _whole(name: str, text: str, low: int, high: int) -> int:
    number = reading.whole_number(text)
    if number is None or not low <= number <= high:
        reject(name, text, f"a whole number from {low} to {high}")
    return number
