"""Games on the page: who plays what, the loop of each game, the processes that think, the board."""
