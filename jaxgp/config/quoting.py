"""Text of options, quoted for Hydra's grammar and for a shell. Needs only Python."""

import re
import shlex

QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
"""A value that is quoted already."""


def quoted(text: str) -> str:
    """Return the value that Hydra reads as this text; ${...} in it is still filled in."""
    escaped = re.sub(r"(\\*)'", r"\1\1\\'", text)
    return "'" + re.sub(r"(\\+)$", r"\1\1", escaped) + "'"


def literal(written: str) -> str:
    """Return the value that Hydra reads as the text that a person wrote; null, and what is quoted already, stays."""
    return written if written == "null" or QUOTED.fullmatch(written) else quoted(written)


def pasted(option: str, value: object) -> str:
    """Return `option=value` as one word of a shell, from which a script reads exactly this text or path."""
    text = str(value)
    if text == "null" or "${" in text or QUOTED.fullmatch(text):
        text = quoted(text.replace("${", r"\${"))
    return shlex.quote(f"{option}={text}")
