"""What a search takes from random moves and from searches of several depths, as many games with each colour.

python -m envs.othello.arena evaluator=edgar_like ties=first games=1000 depths=[0]
python -m envs.othello.arena evaluator=edgar_like ties=first against=material depths=[1,2,3,4,5]
"""

from dataclasses import dataclass

from jaxgp.experiment import arguments
from jaxgp.experiment.arguments import option
from jaxgp.experiment.errors import reject

DEEPEST = 12
TAIL = 1
"""With 65 actions two plies of full width are 4,225 positions, most of which alpha-beta does not need."""


@dataclass
class Options:
    """Who is measured, against whom, how often."""

    evaluator: str = option("edgar_like", "what the player values positions by: an evaluator of the game")
    depth: int = option(1, "plies that the player searches")
    ties: str = option("random", "which of its best moves the player plays", ("first", "random"))
    against: str = option("material", "what the opponents value positions by; they play any of their best moves")
    depths: list[int] = option([0, 1, 2, 3, 4, 5], "plies that the opponents search; 0: random moves")  # noqa: RUF009
    games: int = option(200, "games against each opponent, half of them with each colour")
    size: int = option(8, "squares on each side of the board")
    seed: int = option(0, "of random moves and random ties")


def task(options: Options) -> int:
    """Check, play, print a table."""
    if not 1 <= options.depth <= DEEPEST:
        reject("depth", options.depth, f"a whole number from 1 to {DEEPEST}")
    if not options.depths or not all(0 <= depth <= DEEPEST for depth in options.depths):
        reject("depths", options.depths, f"whole numbers from 0 to {DEEPEST}")
    if not 2 <= options.games <= 100_000 or options.games % 2:
        reject("games", options.games, "an even number from 2 to 100000")
    if not 0 <= options.seed < 2**32:
        reject("seed", options.seed, "a whole number from 0 to 4294967295")
    from envs.othello.opponents import evaluators
    from envs.othello.rules import SIZES, Othello
    from jaxgp.analysis.arena import random_moves, results, search
    from jaxgp.analysis.evaluation import wilson

    if options.size not in SIZES:
        reject("size", options.size, ", ".join(map(str, SIZES)))
    game = Othello(options.size)
    for name in ("evaluator", "against"):
        if getattr(options, name) not in evaluators(game):
            reject(name, getattr(options, name), ", ".join(evaluators(game)))
    player = search(game, options.depth, evaluators(game)[options.evaluator], options.ties, TAIL)
    print("| opponent | won + drawn + lost as black | as white | points | 95 % |\n|---|---|---|---|---|")
    for depth in options.depths:
        opponent = search(game, depth, evaluators(game)[options.against], tail=TAIL) if depth else random_moves(game)
        name = f"{options.against}, {depth} {'ply' if depth == 1 else 'plies'}" if depth else "random moves"
        seats = results(game, player, opponent, options.games // 2, options.seed)
        won, drawn, _ = seats.sum(0).tolist()
        low, high = wilson(won + drawn / 2, options.games)
        said = " | ".join(" + ".join(map(str, seat)) for seat in seats.tolist())
        share = (won + drawn / 2) / options.games
        print(f"| {name} | {said} | {share:.1%} | {low:.1%} to {high:.1%} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(arguments.main(Options, task, __doc__ or ""))
