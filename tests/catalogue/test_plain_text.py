"""Characters that do not show are named, and all others stay."""

import pytest

from contract_core.catalogue.plain_text import hides_something, shown


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("\ufeff# mark", "⟨U+FEFF⟩# mark"),
        ("soft\u00adhyphen", "soft⟨U+00AD⟩hyphen"),
        ("bell\x07", "bell⟨U+0007⟩"),
        ("half\ud800", "half⟨U+D800⟩"),
        ("line\u2028end", "line⟨U+2028⟩end"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("old mac\rend", "old mac⟨U+000D⟩end"),
    ],
)
def test_a_character_that_does_not_show_is_named(text, told):
    assert (shown(text), hides_something(text)) == (told, True)


@pytest.mark.parametrize("text", ["plain", "Grüße, 你好, שלום, ½ €", "a\n\tb", "می\u200cخواهم", "👩\u200d🔬", ""])
def test_what_shows_stays_as_it_is(text):
    assert (shown(text), hides_something(text)) == (text, False)


def test_line_ends_of_either_kind_are_line_ends():
    assert shown("a\r\nb") == "a\nb"
