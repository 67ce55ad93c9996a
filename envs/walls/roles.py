"""How genomes play Walls: the first rule that is valid for what the player sees acts."""

from envs.walls.primitives import Options, mask_size, rule_language, view
from envs.walls.rules import Walls
from envs.walls.view import places
from jaxgp.genotypes.rulelists import RuleLanguage
from jaxgp.players.rules import RulePlayer
from jaxgp.spec import Role


def make(game: Walls, options: Options) -> tuple[RuleLanguage, RulePlayer]:
    """Return what rules can say, and how rule lists play.

    Raises:
        UsageError: the mask is larger than the board.
    """
    language, size = rule_language(game, options), mask_size(game, options)
    return language, RulePlayer(
        language,
        lambda state: view(game, options, state),
        game.legal_actions,
        options.symmetric,
        lambda state: places(game, state, size, options.symmetric),
    )


RULES = Role("rules", "the first rule that is valid for what the player sees acts", "rules", Options, make)
