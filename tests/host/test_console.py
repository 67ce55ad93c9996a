"""Boards as a console shows them."""

import io

from jaxgp.host import console


def test_a_terminal_shows_colours_and_what_the_last_move_has_changed(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    shown = {}
    for kind, stream in (("terminal", Terminal()), ("file", io.StringIO())):
        monkeypatch.setattr("sys.stdout", stream)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        console.drawer({r"\([bw]\)": "bold red"})("3 b  (b)  w\nBlack to move", "3 .  (b)  w\nWhite to move")
        shown[kind] = stream.getvalue()
    assert shown == {
        "terminal": "\n3 \x1b[7mb\x1b[0m  \x1b[1;31m(b)\x1b[0m  w\nBlack to move\n\n",
        "file": "\n3 b  (b)  w\nBlack to move\n\n",
    }
