"""A table under one contract version after the other: its columns, its constraints, and what a failed first attempt leaves."""

import polars as pl
import pytest
from deltalake import DeltaTable

from contract_core.errors import PublicationError
from contract_core.publication import commits as commits_module
from tests.publication.samples import CASES, DAY, WHOLE, contract_of, publications, rows
from tests.publication.unchanged import unchanged

NEXT = "2026-10-02"
BOUND = "{name: n, type: integer}"


def version(number: str, base: str = CASES, field: str = BOUND, more: str = ""):
    return contract_of(base.replace('version: "1.0.0"', f'version: "{number}"').replace(BOUND, field) + more)


TIGHT = BOUND.replace("}", ", max: 10}")


def constraints(site) -> list[str]:
    named = DeltaTable(site.table()).metadata().configuration
    return [key.removeprefix("delta.constraints.") for key in named if "_range_" in key]


@pytest.mark.parametrize("base, key", [(CASES, DAY), (WHOLE, None)], ids=["its partition", "the whole table"])
def test_rows_that_break_a_new_rule_may_be_replaced_by_rows_that_keep_it(site, base, key):
    """S1-053: what goes with the publication stands in nobody's way, and the rule stands as soon as it is gone."""
    site.accept(version("1.0.0", base), rows("a", n=99), key)
    site.accept(version("2.0.0", base, TIGHT), rows("a", n=9), key)
    assert [row[2] for row in site.shown()] == [9]
    assert len(constraints(site)) == 1


def test_rows_that_break_a_new_rule_and_stay_stop_it(site):
    """S1-053: with their number, before anything is changed."""
    site.accept(version("1.0.0"), rows("a", n=99))
    site.accept(version("1.0.0"), rows("a", n=98, day=NEXT), NEXT)
    with unchanged(site.table()), pytest.raises(PublicationError, match=r"1 published rows break 'n\.range'"):
        site.accept(version("2.0.0", field=TIGHT), rows("a", n=9))


def test_a_rule_that_could_not_be_settled_with_its_rows_is_before_the_next_ones(site, monkeypatch):
    site.accept(version("1.0.0"), rows("a", n=99))
    with monkeypatch.context() as patched:
        patched.setattr("contract_core.publication.store.Store._settle_late", lambda *_: None)
        site.accept(version("2.0.0", field=TIGHT), rows("a", n=9))
    assert constraints(site) == []
    site.accept(version("2.0.0", field=TIGHT), rows("a", n=8, day=NEXT), NEXT)
    assert len(constraints(site)) == 1


def failed_first_publication(site, contract) -> None:
    """Leaves the table as it was made, without a row."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(commits_module, "write_deltalake", lambda *_, **__: 1 / 0)
        with pytest.raises(PublicationError):
            site.accept(contract, rows("a"))
    assert (DeltaTable(site.table()).file_uris(), publications(site.table())) == ([], ())


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(version("1.1.0", field=TIGHT), id="another rule"),
        pytest.param(version("1.1.0", field="{name: n, type: int32}"), id="another type"),
        pytest.param(version("1.1.0", field="{name: n, type: integer}\n  - {name: m, type: integer}"), id="one field more"),
        pytest.param(version("1.1.0", CASES.replace("{every: day, column: day, start: 2026-10-01}", "{column: region}")), id="other terms"),
    ],
)  # fmt: skip
def test_a_table_that_nobody_published_to_does_not_bind_its_contract(site, other):
    """What a failed first publication left holds no row, so that nothing is lost with it."""
    failed_first_publication(site, version("1.0.0"))
    frame = rows("a").with_columns(pl.col("n").cast(pl.Int32) if "int32" in str(other.field("n").type) else pl.col("n"))
    frame = frame.with_columns(m=1) if "m" in other.field_names else frame
    site.accept(other, frame, "a" if other.delivery.partition.every is None else DAY)
    assert len(site.shown()) == len(publications(site.table())) == 1


def test_a_table_that_nobody_published_to_shows_no_row(site):
    failed_first_publication(site, version("1.0.0"))
    assert site.shown() == []
