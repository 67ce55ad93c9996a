"""Text from outside that is fit to be shown."""

import xml.etree.ElementTree as ET

from jaxgp.printable import one_line, printable


def test_what_steers_a_terminal_or_turns_text_round_becomes_visible():
    assert (
        printable("\x1b[31m red\x9b0m \u202ereversed\u2066 \0\x7f")
        == "\ufffd[31m red\ufffd0m \ufffdreversed\ufffd \ufffd\ufffd"
    )
    assert printable("a\r\nb\rc\n\td") == "a\nb\ufffdc\n\td"
    plain = "Kalah, 5 * 3 — «née» 碁 👩‍💻 | <b> [red] ⚫"
    assert printable(plain) == plain
    assert one_line(" two\nlines\t\u2028") == "two lines \ufffd"


def test_every_text_may_stand_in_xml_afterwards():
    every = "".join(chr(code) for code in (*range(0x3000), *range(0xD700, 0x10000), 0x1F600)).translate(
        {ord("<"): None, ord("&"): None}
    )
    assert len(ET.fromstring(f"<a>{printable(every)}</a>").text) > 20_000
    printable(every).encode()
