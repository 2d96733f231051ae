"""What is guessed from counts: closed sets, lower bounds, keys; and what is not, because it looks like people or chance."""

from pathlib import Path

import pytest

from contract_core.bootstrap.inference import Inferred
from contract_core.errors import WrongUsageError
from tests.bootstrap.inferring import broken, field, infer, infer_text

ROWS = 100


def column(tmp_path: Path, *values: str) -> Inferred:
    """A contract of one column whose values come again and again, beside a column that is never null."""
    rows = "".join(f"{values[place % len(values)]};x\n" for place in range(ROWS))
    return infer_text(tmp_path, "a;b\n" + rows)


@pytest.mark.parametrize(
    ("values", "enum"),
    [
        pytest.param(("open", "shipped"), ("open", "shipped"), id="few words"),
        pytest.param(("NL", "BE", "DE"), ("BE", "DE", "NL"), id="codes, sorted"),
        pytest.param(tuple(f"v{n:02d}" for n in range(10)), tuple(f"v{n:02d}" for n in range(10)), id="ten rows for each"),
        pytest.param(tuple(f"v{n:02d}" for n in range(11)), None, id="fewer than ten rows for each"),
        pytest.param(("anna@example.org", "bert@example.org"), None, id="addresses"),
        pytest.param(("Anna de Vries", "Bert Bakker"), None, id="names of people"),
        pytest.param(("+31 612345678", "+31 687654321"), None, id="telephone numbers"),
        pytest.param(("the parcel was left with a neighbour", "nobody was at home"), None, id="sentences"),
        pytest.param(("x" * 41, "y"), None, id="long texts"),
        pytest.param(("a\u200bb", "c"), None, id="marks that nobody sees"),
    ],
)  # fmt: skip
def test_a_small_set_of_short_texts_is_closed(
    tmp_path: Path, values: tuple[str, ...], enum: tuple[str, ...] | None
) -> None:
    assert field(column(tmp_path, *values), "a").terms.get("enum") == enum


def test_a_set_is_closed_only_where_rows_are_many(tmp_path: Path) -> None:
    few = "".join(f"{'xy'[place % 2]};{place}\n" for place in range(49))
    assert "enum" not in field(infer_text(tmp_path, "a;b\n" + few), "a").terms


def test_a_value_that_stands_once_keeps_a_set_open(tmp_path: Path) -> None:
    rows = "".join(f"{'xy'[place % 2]};{place}\n" for place in range(80)) + "z;80\n"
    assert "enum" not in field(infer_text(tmp_path, "a;b\n" + rows), "a").terms


@pytest.mark.parametrize(
    ("values", "low"),
    [
        pytest.param(("0", "5"), 0, id="never below zero"),
        pytest.param(("-1", "5"), None, id="below zero"),
        pytest.param(("0.5", "5"), None, id="fractions are no counts"),
    ],
)
def test_whole_numbers_that_are_never_negative_have_a_lower_bound(
    tmp_path: Path, values: tuple[str, ...], low: int | None
) -> None:
    assert field(column(tmp_path, *values), "a").terms.get("min") == low


def test_nine_numbers_prove_no_bound(tmp_path: Path) -> None:
    assert "min" not in field(infer_text(tmp_path, "a;b\n" + "1;x\n" * 9), "a").terms


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        pytest.param([f"k{n};{n % 5};x" for n in range(50)], ("a",), id="one field"),
        pytest.param([f"k{n // 5};d{n % 5};{n * 7919 % 10007}" for n in range(50)], ("a", "b"), id="two, tighter than a measurement"),
        pytest.param([f"k{n // 10};d{n // 5 % 2};e{n % 5}" for n in range(50)], ("a", "b", "c"), id="three"),
        pytest.param([f"k{n % 5};x;y" for n in range(50)], None, id="none"),
        pytest.param([f"{n};x;y" for n in range(50)], ("a",), id="numbers without a gap"),
        pytest.param(["11;x;y", "970;x;y", "12345;x;y"], None, id="numbers that differ by chance"),
        pytest.param([f"{n + 0.5};x;y" for n in range(50)], None, id="fractions are no key"),
        pytest.param([";x;y", *(f"k{n};x;y" for n in range(50))], None, id="a null"),
    ],
)  # fmt: skip
def test_the_key_is_the_smallest_combination_that_tells_rows_apart(
    tmp_path: Path, rows: list[str], key: tuple[str, ...] | None
) -> None:
    found = infer_text(tmp_path, "a;b;c\n" + "".join(f"{row}\n" for row in rows))
    assert found.draft.terms.get("key") == key


def test_a_key_that_the_first_rows_promise_is_held_against_all(tmp_path: Path) -> None:
    rows = [*(f"k{n};x" for n in range(25_000)), "k0;x"]
    assert "key" not in infer_text(tmp_path, "a;b\n" + "".join(f"{row}\n" for row in rows)).draft.terms


def landed(tmp_path: Path, **files: str) -> None:
    for place, content in files.items():
        path = tmp_path / "landing" / place.replace("__", "/").replace("_", "-")
        path.mkdir(parents=True)
        (path / "x.csv").write_text(content)


def test_files_of_one_day_each_are_partitions_where_the_path_says_so(tmp_path: Path) -> None:
    landed(tmp_path, cases__2026_10_01="day,n\n2026-10-01,1\n", cases__2026_10_02="day,n\n2026-10-02,1\n")
    found = infer(tmp_path)
    terms = found.draft.contract.delivery.partition
    assert terms is not None
    assert (terms.column, terms.every, str(terms.start)) == ("day", "day", "2026-10-01")
    assert found.draft.contract.delivery.path is None  # it is the usual place of a contract of this name
    assert broken(found, tmp_path, tmp_path / "landing/cases/2026-10-02", partition="2026-10-02") == []


def test_another_place_than_the_usual_is_stated(tmp_path: Path) -> None:
    landed(tmp_path, shop__2026_10_01="day,n\n2026-10-01,1\n", shop__2026_10_02="day,n\n2026-10-02,1\n")
    assert infer(tmp_path).draft.contract.delivery.path == "shop/{partition}/x.csv"


@pytest.mark.parametrize(
    "second",
    [
        pytest.param("day,n\n2026-10-03,1\n", id="another day than the path says"),
        pytest.param("day,n\n2026-10-02,1\n2026-10-03,1\n", id="two days"),
        pytest.param("day,n\n,1\n2026-10-02,1\n", id="no day"),
    ],
)
def test_files_that_do_not_keep_to_the_day_of_their_path_are_no_partitions(tmp_path: Path, second: str) -> None:
    landed(tmp_path, cases__2026_10_01="day,n\n2026-10-01,1\n", cases__2026_10_02=second)
    assert infer(tmp_path).draft.contract.delivery.partition is None


@pytest.mark.parametrize(
    ("first", "second", "every", "keys"),
    [
        pytest.param("2026-10-01", "2026-10-02", "day", ["2026-10-01", "2026-10-02"], id="days"),
        pytest.param("2026-10-01\n2026-10-09", "2026-11-02", "month", ["2026-10-01", "2026-11-01"], id="months"),
        pytest.param("NL", "BE", None, ["BE", "NL"], id="values"),
        pytest.param("7", "12", None, ["12", "7"], id="numbers"),
    ],
)
def test_a_named_column_makes_partitions_wherever_the_files_stand(
    tmp_path: Path, first: str, second: str, every: str | None, keys: list[str]
) -> None:
    landed(tmp_path, one=f"a\n{first}\n", two=f"a\n{second}\n")
    found = infer(tmp_path, column="a")
    terms = found.draft.contract.delivery.partition
    assert terms is not None
    assert (terms.every, [report.partition for report in found.reports]) == (every, keys)


@pytest.mark.parametrize(
    ("content", "column_", "what"),
    [
        pytest.param("a\nx\ny\n", "a", "'a' has several values in one file", id="several values"),
        pytest.param("a,b\n2026-10-01,1\n2026-12-01,2\n", "a", "the rows of one file lie on several days of 'a', in UTC or without a zone", id="several months"),
        pytest.param("a,b\n1.5,2\n", "a", "'a' is of type number", id="fractions"),
        pytest.param("a,b\n,2\nx,1\n", "a", "'a' is missing in some rows", id="a null"),
        pytest.param("a\n1\n", "b", "is no field of what was found", id="no such field"),
    ],
)  # fmt: skip
def test_a_column_that_tells_no_partition_is_refused(tmp_path: Path, content: str, column_: str, what: str) -> None:
    landed(tmp_path, one=content)
    with pytest.raises(WrongUsageError) as caught:
        infer(tmp_path, column=column_)
    assert caught.value.problems[0].what == what
