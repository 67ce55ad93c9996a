"""Values read from text, and options of small commands read from arguments."""

from dataclasses import dataclass

import pytest

from jaxgp.config import arguments, quoting
from jaxgp.config.compose import adapt_override
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.options import option

VALUES = [
    ("null", None),
    ("true", True),
    ("-12", -12),
    ("007", 7),
    ("1.5e-3", 0.0015),
    (".5", 0.5),
    ("inf", float("inf")),
    ("5T", "5T"),
    ("5-2", "5-2"),
    (" some words ", "some words"),
    ("", ""),
    ("it's", "it's"),
    ("a|b", "a|b"),
    ('"12"', "12"),
    (r"'it\'s'", "it's"),
    ("[]", []),
    ("[1,2.5,x,null]", [1, 2.5, "x", None]),
    ("[a=[1,2],b='c,d',(e,f)]", ["a=[1,2]", "b='c,d'", "(e,f)"]),
    ("[[1],[2,3]]", [[1], [2, 3]]),
    ("['a,b', \"c\"]", ["a,b", "c"]),
]


@pytest.mark.parametrize(("written", "value"), VALUES, ids=[written for written, _ in VALUES])
def test_values(written, value):
    read = quoting.read(written)
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize("written", ["[1,2", "[a,(b]", "{a: 1}", "'open", '"a"b', "x[1"])
def test_what_is_not_closed_is_refused(written):
    with pytest.raises(ValueError, match=r"is missing|is not closed|starts with a brace"):
        quoting.read(written)


@dataclass
class Human:
    """A kind without options."""

    kind: str = option("human", "a person", ("human",))


@dataclass
class Chance:
    """A kind with an option."""

    kind: str = option("chance", "a die", ("chance",))
    depth: int = option(2, "plies", low=1)


@dataclass
class Options:
    """Of every type."""

    run: str | None = option(None, "a directory")
    games: int = option(10, "how many", low=1, high=99)
    time: float = option(1.0, "how long", low=0, above=True, unit="seconds")
    fast: bool = option(False, "whether")
    sizes: tuple[int, ...] = option((1, 2), "how large", low=1)
    base: list[str] = option([], "more options")
    game: dict[str, object] = option({"name": "mancala"}, "a game and its settings")
    player: Human | Chance = option(Human(), "who plays")


def test_options_of_every_type():
    given = ("run=5", "games=20", "time=2", "fast=true", "sizes=[3,4]", "base=[a=1,b=[x]]", "game=walls", "game.size=7")
    made = arguments.parse(Options, [*given, "game.deep.er=x", "player=chance", "player.depth=3"])
    game = {"name": "walls", "size": 7, "deep": {"er": "x"}}
    assert made == Options("5", 20, 2.0, True, (3, 4), ["a=1", "b=[x]"], game, Chance(depth=3))
    assert type(made.time) is float
    assert arguments.parse(Options, ["run=null", "sizes=5"]) == Options(sizes=(5,))
    assert arguments.parse(Options, ["sizes=5,6"]).sizes == (5, 6)


BAD = [
    ("games", "games: not an option; write option=value"),
    ("=3", "=3: not an option; write option=value"),
    ("game=walls game.name=walls", "game.name=walls: game.name is given twice"),
    ("gams=3", "gams: unknown option; did you mean games? accepted: run, games, "),
    ("games.x=3", "games.x: unknown option"),
    ("player.dept=3", "player.dept: unknown option; did you mean player.depth? accepted: kind, depth"),
    ("player=chance player.depth=0", "player.depth=0: accepted: a whole number from 1"),
    ("player=chance player.depth=deep", "player.depth=deep: accepted: a whole number from 1"),
    ("player=robot", "player=robot: accepted: human, chance"),
    ("games=100", "games=100: accepted: a whole number from 1 to 99"),
    ("games=1.5", "games=1.5: accepted: a whole number from 1 to 99"),
    ("games=null", "games=null: accepted: a whole number from 1 to 99"),
    ("games=true", "games=true: accepted: a whole number from 1 to 99"),
    ("time=0", "time=0.0: accepted: a number of seconds above 0"),
    ("fast=1", "fast=1: accepted: true or false"),
    ("sizes=1,x", "sizes=1,x: accepted: whole numbers from 1, as in [1,2,3]"),
    ("sizes=[0]", "sizes=[0]: accepted: whole numbers from 1, as in [1,2,3]"),
    ("base=x", "base=x: accepted: a list, as in [a,b]"),
    (f"games={'9' * 5000}", f"games={'9' * 77}...: accepted: a number with fewer digits"),
    ("base=[x", "base=[x: cannot be read; quote special characters"),
]


@pytest.mark.parametrize(("given", "said"), BAD, ids=[given[:40] for given, _ in BAD])
def test_mistakes_are_one_line(given, said, capsys):
    assert arguments.main(Options, lambda made: 0, "usage", given.split()) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {said}")
    assert error.count("\n") == 1


def test_help_says_what_every_option_means(capsys):
    assert arguments.main(Options, lambda made: 0, "usage", ["--help"]) == 0
    said = capsys.readouterr().out
    for lines in (
        "usage\n\nOptions (option=value):\n  run=null\n      a directory\n",
        "  games=10\n      how many [a whole number from 1 to 99]\n",
        "  time=1.0\n      how long [a number of seconds above 0]\n",
        "  sizes=[1,2]\n      how large [whole numbers from 1, as in [1,2,3]]\n",
        "  game=mancala\n      a game and its settings\n",
        "  player=human\n      who plays [human | chance]\n",
        "  player.kind=chance\n      a die\n    player.depth=2\n        plies [a whole number from 1]\n",
    ):
        assert lines in said


def test_a_choice_that_is_none_is_a_usage_error():
    with pytest.raises(UsageError):
        arguments.parse(Options, ["player=robot"])


def test_text_of_one_kind_keeps_its_commas_where_another_kind_has_a_list_of_that_name():
    assert adapt_override(Config, "fitness.instances=32,64") == "++fitness.instances='32,64'"  # of a suite
    assert adapt_override(Config, "fitness.instances=[a,b]") == "++fitness.instances=[a,b]"  # of rollouts
    assert adapt_override(Config, "title=[a]") == "title='[a]'"
