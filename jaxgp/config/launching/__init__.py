"""The members of a sweep: which of them are due, and the ways in which they are launched."""
