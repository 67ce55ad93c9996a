"""A package of its own: a distribution that installs a package of this name would be found in its place otherwise."""
