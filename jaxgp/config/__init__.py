"""Options: their types, composing them from files and the command line, checking them."""
