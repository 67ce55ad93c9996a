"""Tables of options, from their declarations: names, defaults, what is accepted, and meanings."""

from jaxgp.config import typed
from jaxgp.config.help import write_value
from jaxgp.options import list_options
from jaxgp.report.generated import table

HEADER = ("option", "default", "accepted", "meaning")


def options_table(schema: type, prefix: str = "") -> str:
    """Return the options of a dataclass as a table in Markdown, with a prefix before each name."""
    values = schema()
    rows = []
    for one in list_options(values):
        default = write_value(getattr(values, one.name))
        name, shown = f"`{prefix}{one.name}`", f"`{default}`" if default else ""
        rows.append([name, shown, typed.say_accepted(one), one.limits.says])
    return table(HEADER, rows)
