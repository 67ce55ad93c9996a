"""Statistics of results: intervals, comparisons of groups, and tests with corrections."""
