"""Tables of five men, and results of six: what they hold, and whether it is true.

    python scripts/studies/chess/larger.py endgame=KRRKR positions=1000000 save=docs/data/chess_larger.csv
    python scripts/studies/chess/larger.py endgame=KQRKR engine=stockfish judged=200 nodes=1000000
    python scripts/studies/chess/larger.py endgame=KRRKRR

Builds the table of an endgame, which takes minutes and gigabytes of memory, or reads the one that is kept. At random
positions its value is compared with the best of the values after each move, which the rules of the game list: they
share nothing with the analysis that has made the table. An engine that is named says of some of the positions who wins.

Of six men results alone are found, where both sides have the same: it takes half an hour or more of a CPU, 7 GB of
memory and as much of the disk. What was stopped goes on. Random positions are then legal starts of the game.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

import envs
from envs.chess import tables
from envs.chess.geometry import OFF, Board, attacks
from envs.chess.notation.fen import KINDS, kinds_of
from envs.chess.tables import results
from jaxgp import files, reading
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.options import MAX_COUNT, MAX_SEED, option
from jaxgp.run import memory
from studies.chess.shared import analyst, rows

if TYPE_CHECKING:
    import chess

COLUMNS = ("endgame", "mover", "measure", "value")
AT_ONCE = 20_000
"""Positions that are compared side by side."""
PLACES = 64
"""More moves than five men have."""
PAWNS = 300
"""Centipawns that count as a win of an engine."""


@dataclass
class Options:
    """Which table, and how it is checked."""

    endgame: str = option("KRRKR", "the men of both sides, the greater army first")
    positions: int = option(1_000_000, "compared with the moves from them", low=1, high=MAX_COUNT)
    seed: int = option(0, "of the positions", low=0, high=MAX_SEED)
    engine: str | None = option(None, "an engine that speaks the Universal Chess Interface; null: none")
    tables: str | None = option(None, "a folder of Syzygy tables for the engine; null: none", path=True)
    judged: int = option(200, "positions that the engine judges, of each side", low=1, high=MAX_COUNT)
    nodes: int = option(1_000_000, "of each of its searches", low=1, high=10**9)
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse endgames that no table can have; raises UsageError."""
        try:
            pair = kinds_of(self.endgame)
        except ValueError as error:
            reject(prefix + "endgame", self.endgame, str(error))
        if not tables.has(pair, tables.JUDGED) or not tables.ordered(pair):
            accepted = (
                f"up to {tables.LARGEST} kings, queens and rooks, two of a kind, the greater army first, as KRRKR; or "
                "six, both sides having the same, as KQRKQR"
            )
            reject(prefix + "endgame", self.endgame, accepted)


def positions(pair: tables.Pair, values: np.ndarray, side: int, count: int, rng: np.random.Generator) -> Board:
    """Return random positions of a table as boards [2, S, count], the side to move first."""
    flat = values.reshape(-1)
    found = rng.integers(flat.size, size=2 * count)
    while (there := found[flat[found] != tables.ILLEGAL]).size < count:
        found = np.concatenate([found, rng.integers(flat.size, size=count)])
    places = np.unravel_index(there[:count], values.shape)
    squares = [tables.TRIANGLE[places[0]], *places[1:]]
    size = max(map(len, pair))
    men, kinds = np.full((2, size, count), OFF, np.int8), np.zeros((2, size, count), np.int8)
    for army, first in ((0, 0), (1, len(pair[0]))):
        for n, kind in enumerate(pair[army]):
            men[army, n], kinds[army, n] = squares[first + n], kind
    order = [side, 1 - side]
    return Board(jnp.asarray(men[order]), jnp.asarray(kinds[order]))


def compared(found: tables.Tables, board: Board) -> tuple[jax.Array, jax.Array]:
    """Return int8[B] and int8[B]: the values of boards [2, S, B] in the table, and by the moves from them."""
    after, there = tables.successors(board, PLACES)
    best = jnp.where(there, tables.before(tables.probe(found, after)), np.int8(-tables.MATE)).max(0)
    checked = attacks(board)[board.men.shape[1] :, 0].any(0)
    best = jnp.where(~there.any(0) & ~checked, 0, best)
    return tables.probe(found, board), best.astype(jnp.int8)


def comparing(endgame: str, most: int) -> Callable[[Board], tuple[jax.Array, jax.Array]]:
    """Return what compares boards with the table of an endgame, which stays on the host: it may take gigabytes."""
    return jax.jit(partial(compared, tables.outside(tables.tables((endgame,), most))))


def shown(board: Board, number: int, side: int) -> "chess.Board":
    """Return a position for the engine, white being the first army of the endgame."""
    import chess

    one = chess.Board(None)
    one.turn = chess.BLACK if side else chess.WHITE
    men, kinds = np.asarray(board.men)[:, :, number], np.asarray(board.kinds)[:, :, number]
    for color, army in ((one.turn, 0), (not one.turn, 1)):
        for man, kind in zip(men[army], kinds[army], strict=True):
            if man < OFF:
                one.set_piece_at(int(man), chess.Piece(chess.PIECE_SYMBOLS.index(KINDS[kind].lower()), color))
    return one


def judged(options: Options, boards: Board, values: np.ndarray, side: int) -> int:
    """Return of how many of the first positions an engine says what the table says: won, drawn or lost."""
    import chess.engine

    same = 0
    with analyst.begin(str(options.engine), 64, options.tables) as engine:
        for n in range(options.judged):
            board = shown(boards, n, side)
            score = engine.analyse(board, chess.engine.Limit(nodes=options.nodes), game=object())["score"]
            worth = score.pov(board.turn).score(mate_score=100_000)
            same += int(np.sign(worth) * (abs(worth) >= PAWNS) == np.sign(values[n]))
    return same


def measure(options: Options) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table."""
    pair = kinds_of(options.endgame)
    if tables.six(pair):
        yield from measure_six(options, pair)
        return
    begun = time.process_time()
    whole = tables.table(pair)
    spent = time.process_time() - begun
    compare = comparing(options.endgame, tables.LARGEST)
    yield options.endgame, "", "seconds of CPU for the table, or to read it", f"{spent:.0f}"
    rng = np.random.default_rng(options.seed)
    for side, mover in enumerate(("white", "black")):
        row = partial(lambda mover, *said: (options.endgame, mover, *map(str, said)), mover)
        values = whole[side].reshape(-1)
        counts = np.bincount(values.view(np.uint8), minlength=256)
        number = {int(np.uint8(value).view(np.int8)): int(n) for value, n in enumerate(counts) if n}
        number.pop(tables.ILLEGAL, None)
        yield row("places", sum(number.values()))
        yield row("won", sum(n for value, n in number.items() if value > 0))
        yield row("drawn", number.get(0, 0))
        yield row("lost", sum(n for value, n in number.items() if value < 0))
        yield row("moves of the longest mate", max((tables.MATE - abs(value) for value in number if value), default=0))
        apart = done = 0
        while done < options.positions:
            boards = positions(pair, whole[side], side, AT_ONCE, rng)
            value, best = map(np.asarray, compare(boards))
            if options.engine and not done:
                what = f"of {options.judged} positions as {options.engine} says at {options.nodes} nodes"
                yield row(what, judged(options, boards, value, side))
            apart += int((value != best).sum())
            done += AT_ONCE
        yield row("positions compared with the moves from them", done)
        yield row("of them apart", apart)


def measure_six(options: Options, pair: tables.Pair) -> Iterator[tuple[str, ...]]:
    """Yield the rows of six men, whose results are found unless they are there."""
    path = results.place(tables.folder(), options.endgame)
    begun = time.process_time()
    if not path.exists():
        check_room(path, options.endgame)
        results.build(path, pair, tables.table, lambda text: print(text, file=sys.stderr, flush=True))
        yield options.endgame, "", "seconds of CPU for the results", f"{time.process_time() - begun:.0f}"
    yield options.endgame, "", "rounds", str(reading.read_json(path / "about.json")["rounds"])
    for mover, name, found in zip(("white", "black"), ("won", "lost"), results.read(path), strict=True):
        yield options.endgame, mover, name, str(sum(int(np.bitwise_count(part).sum()) for part in found))
    compare = comparing(options.endgame, tables.JUDGED)
    game = envs.make("chess", endgame=options.endgame, start="legal")
    draw = jax.jit(jax.vmap(game.init))
    apart, counts = 0, np.zeros(3, int)
    blocks = -(-options.positions // AT_ONCE)
    for number in range(blocks):
        states = draw(jax.random.split(jax.random.fold_in(jax.random.key(options.seed), number), AT_ONCE))
        board = Board(*(jnp.moveaxis(x, 0, -1) for x in states.board))
        value, best = map(np.asarray, compare(board))
        if options.engine and not number:
            what = f"of {options.judged} positions as {options.engine} says at {options.nodes} nodes"
            yield options.endgame, "white", what, str(judged(options, board, value, 0))
        apart += int((np.sign(value) != np.sign(best)).sum())
        counts += np.bincount(np.sign(value) + 1, minlength=3)
    for what, count in zip(("lost", "drawn", "won"), counts, strict=True):
        yield options.endgame, "white", f"of these positions {what}", str(count)
    yield options.endgame, "white", "positions compared with the moves from them", str(blocks * AT_ONCE)
    yield options.endgame, "white", "of them apart", str(apart)


def check_room(path: Path, endgame: str) -> None:
    """Refuse to find results of six men where they do not fit; raises UsageError."""
    folder = next(one for one in path.parents if one.exists())
    for what, free in (("memory", memory.available()), (f"room in {folder}", shutil.disk_usage(folder).free)):
        if free is not None and free < results.NEEDED:
            accepted = f"one of five men; six need {results.NEEDED / 2**30:.0f} GiB of {what}"
            reject("endgame", endgame, accepted, f"{free / 2**30:.1f} GiB are free")


def task(options: Options) -> int:
    """Measure, print, save."""
    if options.engine:
        analyst.check(options.engine, ", or engine=null")
    path = files.user_path("save", options.save) if options.save else None
    rows.report(COLUMNS, measure(options), path)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
