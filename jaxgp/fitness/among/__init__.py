"""Games of a population among itself: coevolution, and single elimination."""
