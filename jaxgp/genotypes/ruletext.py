"""Rule lists as text and back, one rule a line, on the host.

    - - N / B E 0 / - A - : try-forward    ; what follows a semicolon is a comment

The rows of the mask from top to bottom are divided by slashes; `-` is "don't care". Empty lines are skipped, and an
empty text is a list without rules. What is printed is parsed back into equal arrays.
"""

import re
from collections.abc import Iterator

import numpy as np

from jaxgp.errors import show
from jaxgp.genotypes.rulelists import ANY, DONT_CARE, RuleLanguage, RuleLists


class RuleError(ValueError):
    """A text that is not a rule list; says where, and what is accepted there."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(f"line {line}, column {column}: {message}")


def print_rule(language: RuleLanguage, condition: np.ndarray, action: int) -> str:
    """Write one rule, of conditions int8[C]."""
    names = [ANY if code == DONT_CARE else language.symbols[code] for code in np.asarray(condition).tolist()]
    columns = language.shape[1]
    rows = [" ".join(names[at : at + columns]) for at in range(0, len(names), columns)]
    return f"{' / '.join(rows)} : {language.actions[int(action)]}"


def print_rules(language: RuleLanguage, one: RuleLists) -> str:
    """Write one list, a line for each rule; a list without rules is the empty text."""
    rules = zip(np.asarray(one.condition), np.asarray(one.action), strict=True)
    lines = [print_rule(language, *rule) for rule, _ in zip(rules, range(int(one.length)), strict=False)]
    return "\n".join(lines)


def parse_rules(language: RuleLanguage, text: str, capacity: int) -> RuleLists:
    """Read one list into NumPy arrays, [R].

    Args:
        language: what the rules are written in.
        text: one rule a line.
        capacity: R.

    Raises:
        RuleError: a line is not a rule of this language, or there are more rules than the capacity.
    """
    condition = np.zeros((capacity, language.num_cells), np.int8)
    action = np.zeros(capacity, np.int8)
    length = 0
    for number, line in enumerate(text.splitlines(), 1):
        words = [(m[0], m.start() + 1) for m in re.finditer(r"[/:]|[^\s/:]+", line.split(";")[0])]
        if not words:
            continue
        if length == capacity:
            raise RuleError(number, words[0][1], f"more rules than the capacity of {capacity}")
        condition[length], action[length] = _parse_rule(language, words, number)
        length += 1
    # Host arrays: nothing here touches a device.
    return RuleLists(condition, action, np.int32(length))  # type: ignore[arg-type]


def _parse_rule(language: RuleLanguage, words: list[tuple[str, int]], line: int) -> tuple[list[int], int]:
    """Read the words of a line, each with its column, into the conditions and the action."""
    rows, columns = language.shape
    last, end = words[-1]
    rest: Iterator[tuple[str, int]] = iter([*words, ("", end + len(last))])
    condition: list[int] = []
    for cell in range(language.num_cells):
        row, column = divmod(cell, columns)
        word, at = next(rest)
        if cell and not column:
            if word != "/":
                raise RuleError(line, at, f"expected / after the {columns} cells of row {row}, found {_found(word)}")
            word, at = next(rest)
        if word in ("", "/", ":"):
            place = f"the {rows} rows of {columns} cells end at row {row + 1}, cell {column + 1}"
            raise RuleError(line, at, f"{place}: expected {_conditions(language, cell)}, found {_found(word)}")
        condition.append(_condition(language, cell, word, line, at))
    word, at = next(rest)
    if word != ":":
        raise RuleError(line, at, f"expected : after {rows} rows of {columns} cells, found {_found(word)}")
    word, at = next(rest)
    if word not in language.actions:
        raise RuleError(line, at, f"{_found(word)} is not an action; accepted: {', '.join(language.actions)}")
    action = language.actions.index(word)
    word, at = next(rest)
    if word:
        raise RuleError(line, at, f"expected the end of the rule after its action, found {_found(word)}")
    return condition, action


def _condition(language: RuleLanguage, cell: int, word: str, line: int, at: int) -> int:
    """Return the code that a word stands for in a cell."""
    if word == ANY:
        return DONT_CARE
    for code in language.accepts[cell]:
        if language.symbols[code] == word:
            return code
    row, column = divmod(cell, language.shape[1])
    known = "cannot be named there" if word in language.symbols else "is not a condition"
    raise RuleError(
        line, at, f"row {row + 1}, cell {column + 1}: {_found(word)} {known}; accepted: {_conditions(language, cell)}"
    )


def _conditions(language: RuleLanguage, cell: int) -> str:
    return ", ".join([ANY, *(language.symbols[code] for code in language.accepts[cell])])


def _found(word: str) -> str:
    return show(word) or "the end of the line"
