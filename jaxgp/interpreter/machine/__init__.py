"""A machine for programs that make moves: one lane is one program on one problem, and has a stack of frames.

What a program computes, `tests/reference/moves.py` writes down in plain recursive Python. A lane is always in one of a
few phases. `turn.take_turn` takes lanes from phase to phase by table, without looking at boards, until each needs one;
then whoever drives the machine makes that board, evaluates the pure nodes of the program on it by
`Machine.evaluate_pure`, and says in what phase the lane goes on. `jaxgp.search.proofs.programs` does so.

The first level is a frame too, which values the whole tree after every first move.
"""
