"""An engine of Othello that speaks the Go Text Protocol, in plain Python: random legal moves by the tests' own rules.

    python tests/reference/gtp_engine.py [--seed N] [--first] [--log FILE] [--fault NAME] [--after N]

`--first` plays the first legal move always. A fault shows at the genmove number `--after`, from 0; the fault `deaf`
shows all along, as in gtp-rhino: a pass that it is told is a syntax error.
"""

import argparse
import random
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.reference import othello

COLOURS = ("black", "white")
KNOWN = ("name", "known_command", "set_game", "boardsize", "clear_board", "play", "genmove", "final_score", "quit")
FAULTS = ("dies", "hangs", "refuses", "illegal", "nonsense", "babbles", "resigns", "deaf")


class Refusal(Exception):  # noqa: N818 - what it is called here
    """What comes after the `?`."""


class Engine:
    def __init__(self, options):
        self.options = options
        self.rng = random.Random(options.seed)
        self.asked = 0
        self.position = othello.start()

    def answer(self, line):
        command, *words = line.split()
        if command not in KNOWN:
            raise Refusal("unknown command")
        return str(getattr(self, command)(*words) or "")

    def name(self):
        return "Random\nOthello"

    def known_command(self, command):
        return str(command in KNOWN).lower()

    def set_game(self, game):
        if game != "Othello":
            raise Refusal("unsupported game")

    def boardsize(self, size):
        if size not in ("4", "6", "8"):
            raise Refusal("unacceptable size")
        self.position = othello.start(int(size))

    def clear_board(self):
        self.position = othello.start(self.position.n)

    def turn(self, colour):
        if COLOURS.index(colour) != self.position.seat:
            raise Refusal("not your turn")

    def play(self, colour, vertex):
        self.turn(colour)
        if vertex == "pass" and self.options.fault == "deaf":
            raise Refusal("syntax error")
        move = next((move for move in othello.moves(self.position) if name(move) == vertex), None)
        if move is None:
            raise Refusal("illegal move")
        self.position = othello.play(self.position, move)

    def genmove(self, colour):
        self.turn(colour)
        self.asked += 1
        if self.asked > self.options.after and self.options.fault not in (None, "deaf"):
            return self.fail(self.options.fault)
        legal = othello.moves(self.position)
        move = legal[0] if self.options.first else self.rng.choice(legal)
        self.position = othello.play(self.position, move)
        return name(move).upper()

    def fail(self, fault):
        if fault == "dies":
            print("starting up", "out of ideas", sep="\n", file=sys.stderr)
            raise SystemExit(3)
        if fault == "hangs":
            time.sleep(600)
        if fault == "refuses":
            raise Refusal("too tired")
        if fault == "babbles":
            print("thinking ...", flush=True)
        return {"illegal": "a1", "nonsense": "z9"}.get(fault, "resign")

    def final_score(self):
        lead = othello.lead(self.position)
        return f"{'B' if lead > 0 else 'W'}+{abs(lead)}" if lead else "0"

    def quit(self):
        return ""


def name(move):
    return othello.PASS if move == othello.PASS else f"{'abcdefgh'[move[0]]}{move[1] + 1}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--log")
    parser.add_argument("--fault", choices=FAULTS)
    parser.add_argument("--after", type=int, default=0)
    options = parser.parse_args()
    engine = Engine(options)
    for line in sys.stdin:
        if options.log:
            with open(options.log, "a") as log:
                log.write(line.lstrip("0123456789 "))
        number = re.match(r"(\d*) *", line)
        try:
            answer = f"={number[1]} {engine.answer(line[number.end() :])}"
        except Refusal as refusal:
            answer = f"?{number[1]} {refusal}"
        print(answer + "\n", flush=True)
        if line.split()[-1] == "quit":
            return


if __name__ == "__main__":
    main()
