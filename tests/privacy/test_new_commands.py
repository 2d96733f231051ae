"""`infer`, `import`, `fixtures` and `status` say no value of what was delivered, whatever is wrong with it, on either stream."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tests.commands import Run
from tests.privacy.planting import Markers

M = Markers("the commands that read samples")
WORD = M.text("a value")
ROWS = [{"a": f"{WORD}{place}", "n": place} for place in range(60)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
COLUMNS = "a,n\n" + "".join(f"{row['a']},{row['n']}\n" for row in ROWS)
DEEP = 10_000
CONTRACT = """\
contract: cases
version: "1.0.0"
key: [a]
fields:
  - {name: a, type: string, max_length: 40, trimmed: true, pattern: "[a-z0-9]+"}
  - {name: n, type: integer, min: 0, max: 900}
"""


def _bytes(kind: str) -> bytes:
    buffer = io.BytesIO()
    frame = pl.DataFrame(ROWS)
    if kind == "parquet":
        frame.write_parquet(buffer, compression="uncompressed")
    else:
        frame.write_ipc(buffer)
    return buffer.getvalue()


PARQUET, ARROW = _bytes("parquet"), _bytes("ipc")
FIRST = PARQUET.index(f"{WORD}3".encode())
DAMAGED: dict[str, bytes] = {
    "torn.csv": (COLUMNS + f'"{WORD}').encode(),
    "too_wide.csv": f"a,n\n{WORD},1,{WORD}\n".encode(),
    "two_encodings.csv": COLUMNS.encode("utf-16") + WORD.encode(),
    "no_header.csv": f"1,{WORD}@example.org,NL\n2,{WORD}@example.org,BE\n".encode(),
    "numbers_without_header.csv": f"{M.number('first')},1\n{M.number('second')},2\n".encode(),
    "telephone_without_header.csv": f"{WORD},+31 6 {M.number('telephone')},NL\nx,y,z\n".encode(),
    "torn.jsonl": f'{{"a": "{WORD}"}}\n{{"a": "{WORD}'.encode(),
    "a_key_twice.jsonl": f'{{"a": "{WORD}", "{WORD}": 1, "{WORD}": 2}}\n'.encode(),
    "deep.jsonl": f'{{"a": {"[" * DEEP}"{WORD}"{"]" * DEEP}}}\n'.encode(),
    "keys_without_end.jsonl": "".join(f'{{"{WORD}{place}": 1}}\n' for place in range(1500)).encode(),
    "no_objects.jsonl": f'["{WORD}"]\n"{WORD}"\n'.encode(),
    "mixed.jsonl": f'{{"a": "{WORD}"}}\n{{"a": 1}}\n{{"a": ["{WORD}"]}}\n'.encode(),
    "no_number.jsonl": f'{{"a": "{WORD}", "n": NaN}}\n'.encode(),
    "latin.jsonl": f'{{"a": "{WORD}é"}}\n'.encode("latin-1"),
    "footer.parquet": PARQUET[:-30] + b"\xff" * 22 + PARQUET[-8:],
    "cut.parquet": PARQUET[: len(PARQUET) // 2],
    "rows.parquet": PARQUET[: FIRST - 20] + b"\xff" * 19 + PARQUET[FIRST - 1 :],
    "footer.arrow": ARROW[:-60] + b"\xff" * 40 + ARROW[-20:],
}
ODD: dict[str, bytes] = {
    "null_bytes.csv": COLUMNS.replace("\n", "\0\n", 5).replace("n\0\n", "n\n").encode(),
    "a_huge_cell.csv": f"a,n\n{WORD * 20_000},1\n".encode(),
    "another_encoding.csv": COLUMNS.encode() + f"{WORD}".encode() + b"\xe9\x80,1\n",
    "huge_numbers.jsonl": f'{{"a": "{WORD}", "n": 1e999999}}\n{{"a": "x", "n": {"9" * 5000}}}\n'.encode(),
    "half_a_surrogate.jsonl": f'{{"a": "{WORD}", "b\\ud800": 1}}\n'.encode(),
    "good.csv": COLUMNS.encode(),
    "good.jsonl": LINES.encode(),
    "good.parquet": PARQUET,
    "good.arrow": ARROW,
}


def put(folder: Path, name: str, content: bytes) -> str:
    (folder / name).write_bytes(content)
    return name


def kind(name: str) -> str:
    return {"arrow": "ipc"}.get(name.rpartition(".")[2], name.rpartition(".")[2])


@pytest.mark.parametrize("name", DAMAGED)
def test_infer_refuses_what_it_cannot_read_without_a_word_of_it(run: Run, tmp_path: Path, name: str) -> None:
    """S1-063."""
    code, out, err = run("infer", put(tmp_path, name, DAMAGED[name]), "--name", "cases")
    assert (code, out, M.found_in(err)) == (2, "", [])
    assert "this is a fault of ours" not in err


@pytest.mark.parametrize("name", ODD)
def test_infer_reads_odd_values_and_tells_none(run: Run, tmp_path: Path, name: str) -> None:
    """S1-063."""
    code, out, err = run("infer", put(tmp_path, name, ODD[name]), "--name", "cases")
    assert (code, M.found_in(out + err)) == (0, [])


@pytest.mark.parametrize("name", [name for name in DAMAGED if name.endswith(".parquet")])
def test_import_tells_no_row_of_a_damaged_file(run: Run, tmp_path: Path, name: str) -> None:
    """S1-063."""
    _, out, err = run("import", put(tmp_path, name, DAMAGED[name]), "--from", "parquet", "--name", "cases")
    assert M.found_in(out + err) == []
    assert "this is a fault of ours" not in err


@pytest.mark.parametrize("name", [name for name in (*DAMAGED, *ODD) if "header" not in name and "good" not in name])
def test_fixtures_refuse_a_sample_without_a_word_of_it(run: Run, tmp_path: Path, name: str) -> None:
    """S1-063."""
    (tmp_path / "cases.yaml").write_text(CONTRACT + f"delivery: {{format: {{type: {kind(name)}}}}}\n")
    code, out, err = run("fixtures", "cases.yaml", put(tmp_path, name, {**DAMAGED, **ODD}[name]), "--out", "made")
    assert (code, out, M.found_in(err)) == (2, "", [])
    assert "this is a fault of ours" not in err
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("name", ["good.csv", "good.jsonl", "good.parquet", "good.arrow"])
def test_fixtures_hold_values_for_their_owner_alone_and_tell_none(run: Run, tmp_path: Path, name: str) -> None:
    """The folder is made as candidates are; what is expected of the files can be read by anybody."""
    (tmp_path / "cases.yaml").write_text(CONTRACT + f"delivery: {{format: {{type: {kind(name)}}}}}\n")
    code, out, err = run("fixtures", "cases.yaml", put(tmp_path, name, ODD[name]), "--out", "made", "--json")
    assert (code, M.found_in(out + err)) == (0, [])
    assert M.found_in((tmp_path / "made/expected.json").read_text()) == []
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "made").iterdir()}
    assert ((tmp_path / "made").stat().st_mode & 0o777, modes) == (0o700, {0o600})
    assert {path.name for path in tmp_path.iterdir() if path.name.startswith(".")} == set()


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(["open", "closed", "sent", "lost", "anna@example.org"], id="one address among codes"),
        pytest.param(["AA", "BB", "CC", "DD", "Anna de Vries"], id="one name among codes"),
        pytest.param(["anna bakker", "bert smit"], id="names in small letters"),
        pytest.param(["José García López", "Ana María Ruiz"], id="names of three words"),
        pytest.param(["Jean-Luc Picard", "Mary-Jane O'Neil"], id="names with a hyphen"),
        pytest.param(["O'Neil", "d'Angelo"], id="names with an apostrophe"),
        pytest.param(["Smith,John", "Doe,Jane"], id="names with a comma"),
        pytest.param(["A.B.Bakker", "C.Smit", "x"], id="initials"),
        pytest.param(["王小明", "李小龙"], id="names in a script without capitals"),
        pytest.param(["anna.bakker", "bert.smit"], id="names of accounts"),
        pytest.param(["AA", "BB", "CC", "DD", "NL91ABNA0417164300"], id="an account number"),
        pytest.param(["AA", "BB", "CC", "DD", "NL91 ABNA 0417 1643 00"], id="an account number with blanks"),
        pytest.param(["AA", "BB", "CC", "DD", "020-1234567"], id="a telephone number"),
        pytest.param(["AA", "BB", "CC", "DD", "(020) 123 45 67"], id="a telephone number with blanks"),
        pytest.param(["AA", "BB", "CC", "DD", "4111 1111 1111 1111"], id="the number of a card"),
        pytest.param(["AA", "BB", "CC", "DD", "123-45-6789"], id="a social security number"),
        pytest.param(["CUST-00017", "CUST-00018"], id="identifiers"),
        pytest.param(["a9f3e2c1-bcde-4abc-9def-abcdefabcdef", "x"], id="a UUID"),
        pytest.param(["abcdefabcdef", "fedcbafedcba"], id="digests"),
        pytest.param(["10.0.0.7", "10.0.0.8"], id="addresses of machines"),
        pytest.param(["https://x.org/anna", "AA"], id="a link"),
        pytest.param(["1234AB", "5678CD"], id="postal codes"),
        pytest.param(["Kerkstraat 12", "Dorpsweg 9a"], id="streets"),
        pytest.param(["left at door", "ok", "no", "yes", "late"], id="words of people"),
    ],
)
def test_what_may_be_of_a_person_is_counted_and_never_listed(run: Run, tmp_path: Path, values: list[str]) -> None:
    """S4-025. One such value is enough: a closed set is the one place where values enter a contract."""
    rows = "".join(f"{values[place % len(values)]};x{place}\n" for place in range(60))
    code, out, err = run("infer", put(tmp_path, "d.csv", f"a;b\n{rows}".encode()), "--name", "cases")
    assert (code, [value for value in values if len(value) > 2 and value in out + err]) == (0, [])
    assert f"{len(values)} distinct in 60 rows, not listed" in out


@pytest.mark.parametrize("values", [["open", "in_progress"], ["NL", "BE"], ["v1.0", "v2.0"], ["FY2025", "FY2026"]])
def test_codes_are_still_listed(run: Run, tmp_path: Path, values: list[str]) -> None:
    rows = "".join(f"{values[place % len(values)]};x{place}\n" for place in range(60))
    _, out, _ = run("infer", put(tmp_path, "d.csv", f"a;b\n{rows}".encode()), "--name", "cases")
    assert f"enum: [{', '.join(sorted(values))}]" in out


@pytest.mark.parametrize("names", ["region,2025,2026", "id,1/22/20", "e-mail,phone,IBAN", "c20261001,c20261002"])
def test_names_that_only_look_a_little_like_values_are_names(run: Run, tmp_path: Path, names: str) -> None:
    rows = f"{','.join('x' for _ in names.split(','))}\n"
    assert run("infer", put(tmp_path, "d.csv", f"x,y,{names}\nx,y,{rows}".encode()), "--name", "cases")[0] == 0


def test_status_tells_how_quiet_a_contract_is_without_a_word_of_what_broke_it(run: Run, tmp_path: Path) -> None:
    """S1-063, S4-026."""
    (tmp_path / "data/contracts").mkdir(parents=True)
    (tmp_path / "data/contracts/cases.yaml").write_text(CONTRACT + "enforcement: {on_breach: warn}\n")
    broken = COLUMNS + f"{WORD.upper()} ,{M.number('too high')}\n"
    assert run("publish", "cases", put(tmp_path, "d.csv", broken.encode()))[0] == 0
    said = "".join("".join(run("status", *more)[1:]) for more in ((), ("--json",)))
    assert ("quiet" in said, M.found_in(said)) == (True, [])


PANICKING = """\
import polars as pl
from contract_core import cli
from contract_core.bootstrap import {module}
def failing(*_, **__):
    raise pl.exceptions.PanicException({word!r})
{module}.{name} = failing
cli.main({arguments!r})
"""


@pytest.mark.parametrize(
    ("module", "name", "arguments"),
    [
        pytest.param("inference", "facts_of", ["infer", "d.csv", "--name", "cases"], id="infer"),
        pytest.param("fixtures", "validate", ["fixtures", "cases.yaml", "d.csv", "--out", "made"], id="fixtures"),
        pytest.param("parquet_schema", "read_parquet", ["import", "d.parquet", "--from", "parquet"], id="import"),
    ],
)
def test_a_panic_of_a_library_is_told_without_its_words(
    tmp_path: Path, module: str, name: str, arguments: list[str]
) -> None:
    """S1-063."""
    put(tmp_path, "d.csv", COLUMNS.encode())
    put(tmp_path, "d.parquet", PARQUET)
    put(tmp_path, "cases.yaml", CONTRACT.encode())
    ended = subprocess.run(
        [sys.executable, "-c", PANICKING.format(module=module, name=name, word=WORD, arguments=arguments)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, M.found_in(ended.stderr)) == (2, "", [])
    assert "PanicException" in ended.stderr
