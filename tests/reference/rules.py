"""Plain rules, written without the engine's arrays: a list is [(conditions, action)], read one rule at a time."""


def matches(conditions, view):
    return all(condition in (-1, seen) for condition, seen in zip(conditions, view, strict=True))


def look(symmetry, view):
    """Return the view as the symmetry transforms it."""
    return [symmetry.symbols[view[source]] for source in symmetry.cells]


def act(language, rules, view, symmetric=False):
    """Return the action, and the index of the rule that acts, or -1."""
    for index, (conditions, action) in enumerate(rules):
        if matches(conditions, view):
            return action, index
        for symmetry in language.symmetries if symmetric else ():
            if matches(conditions, look(symmetry, view)):
                return symmetry.actions[action], index
    return language.default, -1


def plain(one):
    """Return a list in arrays as [(conditions, action)]."""
    rules = zip(one.condition.tolist(), one.action.tolist(), strict=True)
    return [(tuple(conditions), action) for conditions, action in rules][: int(one.length)]
