"""CSV files: which are readable, what their records are, and where a fault stands."""

import polars as pl
import pytest

from contract_core.candidate import csv_text, snapshot
from contract_core.candidate.csv_text import plain_lines
from contract_core.candidate.spool import Spool
from contract_core.contract.delivery_terms import Format
from tests.candidate.offers import contract_of, reason, rows, taken

STRINGS = {"a": "string", "b": "string"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "0 bytes"),
        ("\ufeff", "holds no header line"),
        ("\n\r\n", "holds no header line"),
        ("a,b\n1\n", "line 2 has 1 field, the header has 2"),
        ("a,b\n1,2\n1,2,3\n", "line 3 has 3 fields, the header has 2"),
        ('a,b\n"1\n2",3\n1\n', "line 4 has 1 field, the header has 2"),
        ("a,b\n\n1,2\n\n1\n", "line 5 has 1 field, the header has 2"),
        ('a,b\n"1,2\n3,4\n', "line 2: a quoted value is never closed"),
        ('a,b\n1,2\n"1"x,2\n', "line 3: text follows a closing quote"),
        ("a,b,a\n1,2,3\n", "column 3 repeats 'a' of column 1"),
        ("secret,b,secret\n1,2,3\n", "column 3 repeats the name of column 1"),
        (b"a,b\n1,2\n1,\xff\n", "line 3 is not utf-8 text"),
        (b"a,\xff\n1,2\n", "line 1 is not utf-8 text"),
        (b"a,b\r1,2\r1,\xff\r", "line 3 is not utf-8 text"),
    ],
)
def test_a_broken_file_is_unreadable_and_says_where(tmp_path, content, why):
    candidate = taken(contract_of(STRINGS), tmp_path, {"one.csv": content})
    assert reason(candidate) == why
    assert candidate.rows == 0


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n", []),
        ("a,b", []),
        ("a,b\n1,2\n", [("1", "2")]),
        ("a,b\n1,2", [("1", "2")]),
        ("a,b\r\n1,2\r\n", [("1", "2")]),
        ("a,b\r1,2\r3,4", [("1", "2"), ("3", "4")]),
        ("\ufeffa,b\n1,2\n", [("1", "2")]),
        ('\ufeff"a",b\n1,2\n', [("1", "2")]),
        ("\n\na,b\n1,2\n", [("1", "2")]),
        ("a,b\n\n1,2\n\n\n3,4\n\n", [("1", "2"), ("3", "4")]),
        ('a,b\n"1\n2","3\r\n4"\n', [("1\n2", "3\r\n4")]),
        ('a,b\n"x ""y""",","\n', [('x "y"', ",")]),
        ('a,b\nx"y,2\n', [('x"y', "2")]),
        ("a,b\n 1 ,\t2\n", [(" 1 ", "\t2")]),
        ("a,b\n\ufeff1,2\n", [("\ufeff1", "2")]),
        ("b,a\n1,2\n", [("2", "1")]),
    ],
)
def test_records_are_read_as_they_were_written(tmp_path, content, expected):
    candidate = taken(contract_of(STRINGS, form={"null_values": []}), tmp_path, {"one.csv": content})
    assert reason(candidate) is None
    assert rows(candidate).select("a", "b").rows() == expected
    assert rows(candidate)["__row"].to_list() == list(range(1, len(expected) + 1))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a\n1\n\n2\n", ["1", "", "2"]),
        ("a\n\n1\n", ["", "1"]),
        ("a\n1\n\n\n", ["1", "", ""]),
        ("a\r\n1\r\n\r\n", ["1", ""]),
        ("a\n1", ["1"]),
        ("a\n", []),
        ("a\n\n", [""]),
        ('a\n1\n""\n', ["1", ""]),
        ('a\n"1\n"\n\n', ["1\n", ""]),
        ("\na\n1\n", ["1"]),
    ],
)
def test_in_a_single_column_a_blank_line_is_an_empty_value(tmp_path, content, expected):
    candidate = taken(contract_of({"a": "string"}, form={"null_values": []}), tmp_path, {"one.csv": content})
    assert rows(candidate)["a"].to_list() == expected


@pytest.mark.parametrize(
    ("encoding", "content"),
    [
        ("utf-8", "a;b\né;2\n".encode()),
        ("latin-1", "a;b\né;2\n".encode("latin-1")),
        ("cp1252", "a;b\né;2\n".encode("cp1252")),
        ("utf-16", "a;b\né;2\n".encode("utf-16")),
        ("utf-16", b"\xfe\xff" + "a;b\né;2\n".encode("utf-16-be")),
        ("utf-16-le", "a;b\né;2\n".encode("utf-16-le")),
        ("utf-16-le", "\ufeffa;b\né;2\n".encode("utf-16-le")),
        ("utf-16-be", "a;b\né;2\n".encode("utf-16-be")),
        ("utf-32", "a;b\né;2\n".encode("utf-32")),
    ],
)
def test_text_is_read_in_the_stated_encoding(tmp_path, encoding, content):
    contract = contract_of(STRINGS, form={"encoding": encoding, "delimiter": ";"})
    assert rows(taken(contract, tmp_path, {"one.csv": content})).select("a", "b").rows() == [("é", "2")]


@pytest.mark.parametrize(
    ("encoding", "content", "why"),
    [
        (
            "utf-16",
            "a,b\n".encode("utf-16-le"),
            "has no byte order mark, which utf-16 needs; state utf-16-le or utf-16-be",
        ),
        ("ascii", "a,b\n1,2\n3,é\n".encode(), "line 3 is not ascii text"),
        ("cp1252", b"a,b\n1,\x81\n", "line 2 is not cp1252 text"),
        ("utf-16-le", "a,b\n1,2\n".encode("utf-16-le") + b"\x00", "line 3 is not utf-16-le text"),
    ],
)
def test_bytes_of_another_encoding_are_unreadable(tmp_path, encoding, content, why):
    contract = contract_of(STRINGS, form={"encoding": encoding})
    assert reason(taken(contract, tmp_path, {"one.csv": content})) == why


def test_null_tokens_are_whole_texts_and_belong_to_a_field(tmp_path):
    contract = contract_of({"a": "integer", "b": "string"}, form={"null_values": {"a": ["", "NA"], "b": ["-"]}})
    frame = rows(taken(contract, tmp_path, {"one.csv": "a,b\nNA,NA\n,-\nNAN,--\n NA,\n"}))
    assert frame["a"].to_list() == [None] * 4
    assert frame["__raw.a"].to_list() == [None, None, "NAN", " NA"]
    assert frame["b"].to_list() == ["NA", None, "--", ""]
    assert frame["__raw.b"].to_list() == [None] * 4


@pytest.mark.parametrize("kept", ["reject", "ignore", "keep"])
def test_undeclared_columns_are_always_told_and_only_kept_on_demand(tmp_path, kept):
    contract = contract_of({"a": "string"}, extra_fields=kept)
    candidate = taken(contract, tmp_path, {"one.csv": "a,x,,__row,*\n1,2,3,4,5\n"})
    extras = [(extra.position, extra.file, extra.name, extra.rows) for extra in candidate.facts.extra_columns]
    assert extras == [(2, "one.csv", "x", 1), (3, "one.csv", "", 1), (4, "one.csv", "__row", 1), (5, "one.csv", "*", 1)]
    own = {"a": "1", "__raw.a": None, "__file": 0, "__row": 1}
    others = {"x": "2", "__extra.3": "3", "__extra.__row": "4", "*": "5"}
    assert rows(candidate).row(0, named=True) == (own | others if kept == "keep" else own)


def test_names_that_look_like_patterns_are_names(tmp_path):
    candidate = taken(contract_of({"ab": "string"}, extra_fields="keep"), tmp_path, {"one.csv": "^a.*$,*,ab\ny,1,x\n"})
    assert rows(candidate).row(0, named=True).items() >= {"ab": "x", "*": "1", "^a.*$": "y"}.items()


def test_columns_that_files_lack_are_absent_there_and_never_filled(tmp_path):
    files = {"1.csv": "a,b\n1,2\n", "2.csv": "b\n3\n", "3.csv": "c,b\n4,5\n"}
    candidate = taken(contract_of({"a": "string", "b": "string", "d": "string"}), tmp_path, files)
    frame = rows(candidate)
    assert candidate.facts.missing == {"a": 2, "d": 3}
    assert candidate.facts.absent_somewhere == ("a",)
    assert frame.select("a", "__absent.a", "b", "__file").rows() == [
        ("1", False, "2", 0),
        (None, True, "3", 1),
        (None, True, "5", 2),
    ]
    assert "d" not in frame.columns


def test_an_unreadable_file_takes_no_other_with_it(tmp_path):
    candidate = taken(contract_of(STRINGS), tmp_path, {"1.csv": "a,b\n1\n", "2.csv": "a,b\n1,2\n"})
    assert [file.unreadable is None for file in candidate.facts.files] == [False, True]
    assert rows(candidate).select("a", "b", "__file", "__row").rows() == [("1", "2", 1, 1)]


@pytest.mark.parametrize("delimiter", list(",;|\t :~^&.-*/'"))
@pytest.mark.parametrize("quote", ['"', "$", "`"])
def test_every_delimiter_and_quote_can_take_the_fast_way(tmp_path, delimiter, quote):
    path = tmp_path / "one.csv"
    path.write_text(f"a{delimiter}b\n1{delimiter}2\n{quote}x{delimiter}{quote}{quote}{quote}{delimiter}2\n")
    assert plain_lines(path, 2, Format(delimiter=delimiter, quote=quote))[0] == 2


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1\n",
        "a,b\n\n1,2\n",
        'a,b\n"1\n2",3\n',
        'a,b\nx"y,2\n',
        "a,b\r1,2\r",
        'a,b\n"1"x,2\n',
        'a,b\n"1","2"",3\n',
        "a,b\n\ufeff1,2\n",
    ],
)
def test_a_file_that_is_not_plain_is_kept_from_polars(tmp_path, content):
    path = tmp_path / "one.csv"
    path.write_bytes(content.encode())
    assert plain_lines(path, 2, Format()) is None


def test_a_value_longer_than_the_csv_module_expects_is_read(tmp_path):
    long = "x\n" * 100_000
    candidate = taken(contract_of(STRINGS), tmp_path, {"one.csv": f'a,b\n"{long}",2\n'})
    assert rows(candidate)["a"].to_list() == [long]


def test_what_polars_writes_of_a_single_column_comes_back_whatever_the_order_of_its_rows(tmp_path):
    for place, values in enumerate([["1", None, None], [None, "1", None], [None, None, "1"]]):
        text = pl.DataFrame({"a": values}).write_csv()
        assert (
            rows(taken(contract_of({"a": "string"}), tmp_path / f"{place}", {"one.csv": text}))["a"].to_list() == values
        )


@pytest.mark.parametrize("others", ["", '"q\nr",2\n'], ids=["fast", "careful"])
def test_a_value_has_one_limit_however_the_file_is_read(tmp_path, monkeypatch, others):
    monkeypatch.setattr(csv_text, "_MAX_FIELD", 100)
    for length, why in ((100, None), (101, "line 2: a value is larger than 64 MiB")):
        content = f"a,b\n{'x' * length},1\n{others}"
        assert reason(taken(contract_of(STRINGS), tmp_path / f"{length}", {"one.csv": content})) == why


@pytest.mark.parametrize("encoding", ["punycode", "idna", "undefined", "rot13", "hex"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "envelope"])
def test_an_encoding_that_no_file_has_leaves_it_unreadable(tmp_path, encoding, form):
    contract = contract_of({"a": "string"}, form={"type": form})
    terms = contract.delivery.format.model_copy(update={"encoding": encoding})
    contract = contract.model_copy(update={"delivery": contract.delivery.model_copy(update={"format": terms})})
    candidate = taken(contract, tmp_path, {f"one.{form.replace('envelope', 'json')}": b"a\n1\xff\n"})
    assert reason(candidate) == f"{encoding} is no encoding of text files; state another in the contract"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252", "utf-16-be"])
def test_text_in_another_encoding_is_read_as_quickly_once_it_is_written_in_utf8(tmp_path, monkeypatch, encoding):
    monkeypatch.setattr(csv_text, "read_csv_carefully", None)
    contract = contract_of(STRINGS, form={"encoding": encoding})
    candidate = taken(contract, tmp_path, {"one.csv": 'a,b\né,"ü,""x"""\nß,\n'.encode(encoding)})
    assert rows(candidate).select("a", "b").rows() == [("é", 'ü,"x"'), ("ß", None)]


def test_quoted_lines_among_others_are_plain_where_each_has_all_its_values(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text('a,b\n1,2\n"1,1","2"\n"",\n"""",x\n')
    assert plain_lines(path, 2, Format())[0] == 4


@pytest.mark.parametrize("line", ['"1,2"', '"1","2","3"', '"1"2,3', 'x"1",2', '"1",2"', '"1,"2",3', '"a"b"c",d'])
def test_a_quoted_line_that_has_not_its_values_is_not_plain(tmp_path, line):
    path = tmp_path / "one.csv"
    path.write_text(f"a,b\n1,2\n{line}\n")
    assert plain_lines(path, 2, Format()) is None


def test_quoted_lines_of_more_columns_than_can_be_proved_are_read_with_care(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text(",".join(map(str, range(9000))) + "\n" + ",".join(['"1"'] * 9000) + "\n")
    assert plain_lines(path, 9000, Format()) is None


def test_long_records_are_held_in_memory_a_few_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_text, "_MAX_FIELD", 1000)
    held = []
    monkeypatch.setattr(
        Spool, "keep", lambda spool, chunk, keep=Spool.keep: held.append(chunk.height) or keep(spool, chunk)
    )
    lines = ["a,b", *(f'"{number}\n{"x" * 300}",y' for number in range(10))]
    candidate = taken(contract_of(STRINGS), tmp_path, {"one.csv": "\n".join(lines)})
    assert (candidate.rows, held) == (10, [4, 4, 2])


@pytest.mark.parametrize("written", ["{}", '"1\n{}"'], ids=["plain", "with care"])
def test_long_records_among_many_make_row_groups_small(tmp_path, monkeypatch, written):
    monkeypatch.setattr(snapshot, "_GROUP_BYTES", 3000)
    monkeypatch.setattr(csv_text, "_MAX_FIELD", 1000)
    lines = ["a,b", *["1,2"] * 100, *[written.format("x" * 900) + ",2"] * 3, *["1,2"] * 100]
    candidate = taken(contract_of(STRINGS), tmp_path, {"one.csv": "\n".join(lines)})
    assert candidate.rows == 203
    assert candidate.path.read_bytes().count(b"\x28\xb5\x2f\xfd") >= 4 * 60  # compressed pages of four columns
