"""Whole turns: asking a player or an opponent for all moves that it knows, which is one where it chooses one by one."""

from jax import Array

from jaxgp.contracts import Memory, Opponent, Plans, Player, PlaysTurns, States


def played(
    player: Player[Plans], plans: Plans, states: States, bits: Array, active: Array | None
) -> tuple[Array, Array]:
    """Return int32[P, M, K], the next moves of the side to move, -1 after the last one, and bool[P, M]: see `act`."""
    if isinstance(player, PlaysTurns):
        return player.turn(plans, states, bits, active)
    moves, legal = player.act(plans, states, bits, active)
    return moves[..., None], legal


def replied(
    opponent: Opponent[Memory], memory: Memory, states: States, bits: Array, active: Array | None
) -> tuple[Array, Array]:
    """Return the same of an opponent: see `reply`."""
    if isinstance(opponent, PlaysTurns):
        return opponent.turn(memory, states, bits, active)
    moves, known = opponent.reply(memory, states, bits, active)
    return moves[..., None], known
