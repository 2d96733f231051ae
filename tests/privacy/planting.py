"""Deliveries that break every promise there is, with a marker in each place where a value, or a name from the data, can stand."""

import csv
import hashlib
import io
import json
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import CommitProperties, DeltaTable, write_deltalake

DAY = "2026-10-01"
AS_OF = datetime(2026, 10, 2, 9, 0, tzinfo=UTC)
FORMATS = {"csv": "d.csv", "jsonl": "d.jsonl", "envelope": "d.json", "parquet": "d.parquet", "ipc": "d.arrow"}
TEXTUAL = ("csv", "jsonl", "envelope")
POLICIES = ("fail", "quarantine", "warn")
MODES = ("replace_partition", "upsert", "append")

Row = dict[str, Any]
Files = Mapping[str, bytes]


class Markers:
    """The tokens of one case: asked for by the place where each stands, and found again in whatever form it is shown."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._forms: dict[str, tuple[str, ...]] = {}

    def text(self, place: str) -> str:
        """A word that is in no digest and in no message by chance."""
        word = f"zq{self._digest(place)[:10]}"
        self._forms[word] = (word, word.upper(), word.encode().hex())
        return word

    def number(self, place: str) -> int:
        number = 700_000_000 + int(self._digest(place)[:12], 16) % 99_999_999
        self._forms[str(number)] = (str(number), f"{number:,}", f"{number:_}")
        return number

    def day(self, place: str, century: int = 27) -> date:
        seed = int(self._digest(place)[:12], 16)
        day = date(century * 100 + seed % 100, 1 + seed % 12, 11 + seed % 17)
        self._forms[day.isoformat()] = (day.isoformat(), f"{day:%d-%m-%Y}", f"{day:%Y, }{day.month}, {day.day}")
        return day

    def found_in(self, said: str | bytes) -> list[str]:
        """The markers that stand in a text or in bytes, by their plain form."""
        text = said if isinstance(said, str) else said.decode("utf-8", "replace")
        return [marker for marker, forms in self._forms.items() if any(form in text for form in forms)]

    def _digest(self, place: str) -> str:
        return hashlib.sha256(f"{self._kind}|{place}".encode()).hexdigest()


@dataclass(frozen=True)
class Planted:
    """One delivery with its contract, the markers in it, and the rules that it must break; `earlier` was published before."""

    id: str
    contract: str
    files: Files
    markers: Markers
    breaks: frozenset[str]
    partition: str = DAY
    earlier: tuple[str, Files] | None = None
    earlier_partition: str = ""

    @property
    def before(self) -> "Planted | None":
        """What was published before, with the same markers in it."""
        if self.earlier is None:
            return None
        return Planted(self.id, *self.earlier, self.markers, frozenset(), self.earlier_partition or self.partition)

    def laid_out(self, root: Path) -> Path:
        """Contract and delivery in an environment's folders; gives the folder of the delivery."""
        return put(root, self.contract, self.files, self.partition)


def put(root: Path, contract: str, files: Files, partition: str = DAY) -> Path:
    landing, contracts = root / "landing" / "cases" / partition, root / "contracts"
    landing.mkdir(parents=True, exist_ok=True)
    contracts.mkdir(parents=True, exist_ok=True)
    (contracts / "cases.yaml").write_text(contract)
    for old in landing.iterdir():
        old.unlink()
    for name, content in files.items():
        (landing / name).write_bytes(content)
    return landing


FIELDS = """\
  - {name: id, type: string}
  - {name: day, type: date}
  - {name: typed, type: integer}
  - {name: nulled, type: string}
  - {name: chosen, type: string, enum: [a, b]}
  - {name: shaped, type: string, pattern: "[a-z]"}
  - {name: ranged, type: integer, min: 0, max: 9}
  - {name: dated, type: date, max: 2026-12-31}
  - {name: long, type: string, max_length: 3}
  - {name: blank, type: string, not_blank: true}
  - {name: padded, type: string, trimmed: true}
  - {name: finite, type: number}
  - {name: ruled, type: integer}
  - {name: once, type: string, nullable: true}
  - {name: secret, type: string, classification: restricted}
  - {name: kept, type: string, nullable: true, required: false}
"""
GOOD: Row = {
    "id": "ok", "day": date(2026, 10, 1), "typed": 1, "nulled": "a", "chosen": "a", "shaped": "a", "ranged": 1,
    "dated": date(2026, 10, 1), "long": "a", "blank": "a", "padded": "a", "finite": 1.0, "ruled": 1, "once": None,
    "secret": "a", "kept": "a",
}  # fmt: skip
ROW_RULES = frozenset(
    ["null", "enum", "pattern", "range", "length", "blank", "untrimmed", "row_rule", "key", "unique", "duplicate_rows"]
)  # fmt: skip


def contract(
    format_: str, policy: str = "fail", mode: str = "replace_partition", *, more: str = "", parts: str = "",
    partition: str = "{column: day, every: day, start: 2026-10-01}", fields: str = FIELDS, key: str = "[id]",
) -> str:  # fmt: skip
    """A contract with every row rule; `more` are further terms, `parts` further terms of delivery."""
    return (
        f'contract: cases\nversion: "1.0.0"\nkey: {key}\nfields:\n{fields}{more}'
        f"enforcement: {{on_breach: {policy}}}\npublication: {{mode: {mode}}}\n"
        f"delivery:\n  format: {{type: {format_}}}\n  partition: {partition}\n{parts}"
    )


RULES = 'rules: [{name: small, sql: "ruled < 5"}]\nunique: [{name: once, fields: [once]}]\nduplicate_rows: error\n'
HISTORY = (
    'history: [{name: grows, sql: "ruled >= previous.ruled AND kept = previous.kept"}, {name: back, vanished: true}]\n'
)
BY_DAYS_OF_SEPTEMBER = "{column: day, every: day, start: 2026-09-01}"
GROUPS = 'groups: [{name: adds_up, by: [id, kept], sql: "sum(typed) = 1 AND max(kept) <> min(id)"}]\n'


def encoded(format_: str, rows: Sequence[Any], about: Mapping[str, Any] | None = None) -> Files:
    """The rows in a file of the format; in an envelope as the part `a`, `about` being what else it declares."""
    plain = [
        {n: str(v) if isinstance(v, date) else v for n, v in r.items()} if isinstance(r, dict) else r for r in rows
    ]
    name = FORMATS[format_]
    if format_ == "csv":
        written = io.StringIO()
        names = list(dict.fromkeys(name for row in plain for name in row))
        csv.writer(written, lineterminator="\n").writerows(
            [names, *([row.get(name) for name in names] for row in plain)]
        )
        return {name: written.getvalue().encode()}
    if format_ == "jsonl":
        return {name: "\n".join(map(json.dumps, plain)).encode()}
    if format_ == "envelope":
        parts = {"a": {"complete": True, "rows": plain}}
        return {name: json.dumps({"contract": "cases", "day": DAY, "partitions": parts} | dict(about or {})).encode()}
    return {name: columnar(format_, pl.DataFrame(rows, infer_schema_length=None))}


def columnar(format_: str, frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    if format_ == "parquet":
        frame.write_parquet(buffer, compression="uncompressed")
    else:
        frame.write_ipc(buffer)
    return buffer.getvalue()


def bad_row(format_: str, markers: Markers) -> Row:
    """A row whose every column holds a marker, in which every rule on rows is broken."""
    row: Row = {name: markers.text(name) for name in ("id", "chosen", "shaped", "long", "once", "secret", "kept")}
    row |= {name: markers.number(name) for name in ("ranged", "ruled")}
    row |= {"day": GOOD["day"], "dated": markers.day("dated"), "padded": f" {markers.text('padded')} "}
    row |= {"nulled": None, "blank": " \u2003", "typed": 2, "finite": 1.5}
    if format_ in TEXTUAL:
        row |= {"typed": markers.text("typed"), "finite": "inf" if format_ == "csv" else markers.text("finite")}
    else:
        row |= {"finite": float("nan")}
    ordered = {name: row[name] for name in GOOD}
    return ordered | {markers.text("the extra column's name"): markers.text("the extra column's value")}


def _rows_that_break_rules() -> Iterator[Planted]:
    """Each format under each policy and mode; what is undeclared is refused where everything is, and else left out."""
    for format_ in FORMATS:
        for policy in POLICIES:
            for mode in MODES if format_ in ("csv", "parquet") else MODES[:1]:
                kind = f"rows, {format_}, {policy}, {mode}"
                markers = Markers(kind)
                bad = bad_row(format_, markers)
                good = GOOD | dict.fromkeys(set(bad) - set(GOOD))
                extra = f"extra_fields: {'reject' if policy == 'fail' else 'ignore'}\n"
                text = contract(format_, policy, mode, more=RULES + extra)
                breaks = ROW_RULES | ({"type"} if format_ in TEXTUAL else {"not_finite"})
                breaks |= {"extra_field"} if policy == "fail" else set()
                yield Planted(kind, text, encoded(format_, [bad, bad, good]), markers, breaks)


def _one(kind: str, markers: Markers, text: str, files: Files, *breaks: str, **more: Any) -> Planted:
    return Planted(kind, text, files, markers, frozenset(breaks), **more)


def _rows_against_the_whole() -> Iterator[Planted]:
    """What is broken for the table and not for a row: partition, coverage, freshness, a key that is published already."""
    for format_ in ("csv", "parquet"):
        for policy in POLICIES:
            kind = f"rows of another day, {format_}, {policy}"
            m = Markers(kind)
            rows = [GOOD | {"id": m.text("id"), "day": m.day("day")}]
            yield _one(kind, m, contract(format_, policy), encoded(format_, rows), "partition")
            kind = f"groups that do not add up, {format_}, {policy}"
            m = Markers(kind)
            rows = [GOOD | {"id": m.text("id"), "kept": m.text("kept"), "typed": m.number("typed")}, GOOD]
            yield _one(kind, m, contract(format_, policy, more=GROUPS), encoded(format_, rows), "group")
            kind = f"rows that contradict what was published, {format_}, {policy}"
            m = Markers(kind)
            day_before = {"day": date(2026, 9, 30), "kept": m.text("kept before"), "ruled": m.number("ruled before")}
            same = {"id": m.text("id")}
            text = contract(format_, policy, more=HISTORY, partition=BY_DAYS_OF_SEPTEMBER)
            before = encoded(
                format_, [GOOD | day_before | same, GOOD | day_before | {"id": m.text("an id that is gone")}]
            )
            rows = [GOOD | same | {"kept": m.text("kept"), "ruled": -m.number("ruled")}]
            yield _one(
                kind, m, text, encoded(format_, rows), "history", earlier=(text, before), earlier_partition="2026-09-30",
            )  # fmt: skip
        kind = f"rows of another value, {format_}"
        m = Markers(kind)
        yield _one(
            kind, m, contract(format_, partition="{column: id}"), encoded(format_, [GOOD | {"id": m.text("id")}]),
            "partition", partition="ok",
        )  # fmt: skip
        kind = f"an unexpected part, {format_}"
        m = Markers(kind)
        text = contract(format_, parts="  parts: {from: column, column: id, required: [ok]}\n")
        yield _one(kind, m, text, encoded(format_, [GOOD, GOOD | {"id": m.text("id")}]), "coverage")
        kind = f"old events, {format_}"
        m = Markers(kind)
        text = contract(format_, more="freshness: {column: dated, max_age: 1d}\n")
        yield _one(kind, m, text, encoded(format_, [GOOD | {"dated": m.day("dated", century=17)}]), "freshness")
        for policy in POLICIES:
            kind = f"a key that is published already, {format_}, {policy}"
            m = Markers(kind)
            row = GOOD | {"id": m.text("id"), "kept": m.text("kept")}
            text = contract(format_, policy, "append")
            again = encoded(format_, [row, GOOD | {"id": "new"}])
            yield _one(kind, m, text, again, "key.published", earlier=(text, encoded(format_, [row])))


def _manifests_and_envelopes() -> Iterator[Planted]:
    kind = "a manifest of mistakes"
    m = Markers(kind)
    text = contract("csv", parts="  manifest: required\n  parts: {from: manifest, required: [a]}\n").replace(
        "{name: ranged, type: integer,", "{name: ranged, type: integer, unit: cases,"
    )
    parts = {
        m.text("part"): {"complete": m.text("complete"), "rows": m.text("rows"), "sha256": m.text("sha"), "file": m.text("file")},
        m.text("another part"): {"complete": False, "rows": m.number("more rows"), m.text("key"): m.text("value")},
        "a": {"complete": True, "rows": m.number("rows"), "file": "d.csv", "sha256": m.text("digest"), m.text("key in part"): m.text("value in part")},
    }  # fmt: skip
    stated: dict[str, Any] = {
        "contract": m.text("contract"), "version": m.text("version"), "partition": m.text("partition"),
        "unit": m.text("unit"), "units": {m.text("field"): m.text("its unit"), "ranged": m.text("unit of ranged")},
        m.text("key"): m.text("value"), "parts": parts,
    }  # fmt: skip
    rows = encoded("csv", [GOOD])
    broken = ("coverage", "completeness", "contract", "unit", "partition")
    yield _one(kind, m, text, {**rows, "_manifest.json": json.dumps(stated).encode()}, *broken)
    for kind, told in {
        "a torn manifest": '{{"contract": "{0}", {0}',
        "a manifest that is a list": '["{0}"]',
        "a manifest with parts that are none": '{{"parts": ["{0}"], "units": ["{0}"], "unit": {{"{0}": "{0}"}}}}',
        "a manifest with a key twice": '{{"{0}": "{0}", "{0}": "{0}"}}',
    }.items():
        m = Markers(kind)
        written = told.format(m.text("manifest")).encode()
        yield _one(
            kind,
            m,
            text,
            {**rows, "_manifest.json": written},
            *(["completeness"] if "none" in kind else ["unreadable"]),
        )
    kind = "a manifest that is no text"
    m = Markers(kind)
    yield _one(kind, m, text, {**rows, "_manifest.json": m.text("manifest").encode() + b"\xff\xfe"}, "unreadable")

    text = contract("envelope", parts="  parts: {from: envelope, required: [a, b]}\n").replace(
        "{name: ranged, type: integer,", "{name: ranged, type: integer, unit: cases,"
    )
    kind = "an envelope of mistakes"
    m = Markers(kind)
    odd = {
        "complete": m.text("complete"),
        "rows": [GOOD | {"id": m.text("id"), "day": DAY, "dated": DAY}],
        m.text("key in part"): m.text("value in part"),
    }
    about = {
        "contract": m.text("contract"), "version": m.text("version"), "unit": m.text("unit"), "day": m.text("day"),
        m.text("key"): m.text("value"), "partitions": {"a": odd, m.text("part"): odd, "b": m.text("no part")},
    }  # fmt: skip
    yield _one(kind, m, text, encoded("envelope", [], about), *broken)
    for kind, parts_of in {"an envelope without parts": "{0}", "an envelope of parts that are none": ["{0}"]}.items():
        m = Markers(kind)
        told_parts = json.loads(json.dumps(parts_of).replace("{0}", m.text("parts")))
        yield _one(kind, m, text, encoded("envelope", [], {"partitions": told_parts}), "unreadable")
    kind = "rows of an envelope that are no objects"
    m = Markers(kind)
    rows_of = {
        "a": {"complete": True, "rows": [m.text("text"), [m.text("list")], m.number("number"), {m.text("key"): 1}]}
    }
    yield _one(kind, m, text, encoded("envelope", [], {"partitions": rows_of}), "not_object", "extra_field", "missing")


def _unreadable() -> Iterator[Planted]:
    kind = "records that are no objects, jsonl"
    m = Markers(kind)
    rows: list[Any] = [m.text("text"), [m.text("list")], m.number("number"), {m.text("key"): m.text("value")}]
    yield _one(kind, m, contract("jsonl"), encoded("jsonl", rows), "not_object", "extra_field", "missing")
    head = ",".join(GOOD)
    for kind, (format_, content) in {
        "an open quote": ("csv", f'{head}\n"{{0}}\n'),
        "a row too wide": ("csv", f"{head}\n{'{0},' * 20}\n"),
        "a header twice": ("csv", "{0},{0}\n{0},{0}\n"),
        "text after a quote": ("csv", f'{head}\n"a"{{0}},{{0}}\n'),
        "torn JSON": ("jsonl", '{{"id": "{0}", {0}'),
        "a key twice": ("jsonl", '{{"id": "{0}", "{0}": 1, "{0}": 2}}'),
        "half a surrogate": ("jsonl", '{{"{0}\\ud800": "{0}\\ud800"}}'),
        "a torn envelope": ("envelope", '{{"contract": "cases", "partitions": {{"{0}": {{"rows": ["{0}"'),
        "no Parquet": ("parquet", "PAR1{0}{0}{0}{0}PAR1"),
        "no Arrow file": ("ipc", "ARROW1{0}{0}{0}{0}ARROW1"),
    }.items():
        m = Markers(kind)
        told = content.format(m.text("content"))
        breaks = ("extra_field",) if kind == "half a surrogate" else ("unreadable",)
        yield _one(kind, m, contract(format_), {FORMATS[format_]: told.encode()}, *breaks)
    for format_ in TEXTUAL:
        kind = f"bytes that are no text, {format_}"
        m = Markers(kind)
        broken = m.text("content").encode() + b"\xff\x00" + encoded(format_, [GOOD])[FORMATS[format_]]
        yield _one(kind, m, contract(format_), {FORMATS[format_]: broken}, "unreadable")
    for format_ in ("parquet", "ipc"):
        kind = f"data that is damaged, {format_}"
        m = Markers(kind)
        rows = [GOOD | {"id": m.text(f"id {place}"), "kept": m.text("kept")} for place in range(20)]
        whole = encoded(format_, rows)[FORMATS[format_]]
        place = whole.index(m.text("id 3").encode())
        damaged = whole[: place - 20] + b"\xff" * 19 + whole[place - 1 :]
        yield _one(kind, m, contract(format_), {FORMATS[format_]: damaged}, "unreadable")
    kind = "a delivery that is partly unreadable"
    m = Markers(kind)
    files = {
        **encoded("csv", [GOOD | {"id": m.text("id"), "ranged": m.number("ranged")}]),
        "e.csv": f'"{m.text("quote")}'.encode(),
    }
    yield _one(kind, m, contract("csv"), files, "unreadable")


def _types() -> Iterator[Planted]:
    """Columns of other types than are promised, and undeclared ones; a type can bear names and values itself."""
    for format_ in ("parquet", "ipc"):
        kind = f"columns of other types, {format_}"
        m = Markers(kind)
        swapped = {
            name: m.number(name) if isinstance(value, str | date) else m.text(name) for name, value in GOOD.items()
        }
        extra = {m.text("extra name"): [m.text("extra value")]}
        yield _one(kind, m, contract(format_), encoded(format_, [swapped | extra]), "type", "extra_field")
        kind = f"categories, {format_}"
        m = Markers(kind)
        named = pl.DataFrame([GOOD | {"chosen": m.text("chosen"), "ranged": m.text("ranged")}])
        named = named.with_columns(
            pl.col("chosen").cast(pl.Enum([m.text("chosen")])), pl.col("ranged").cast(pl.Enum([m.text("ranged")]))
        )
        yield _one(kind, m, contract(format_), {FORMATS[format_]: columnar(format_, named)}, "type", "enum")


def _nested() -> Iterator[Planted]:
    """Columns whose very type is made of names and values from the data: fields of structures, lists of categories."""
    for format_ in ("parquet", "ipc"):
        kind = f"structures where texts are promised, {format_}"
        m = Markers(kind)
        rows = [
            GOOD | {"kept": {m.text("name inside"): m.text("value inside")}, "shaped": [{m.text("name in list"): 1}]}
        ]
        yield _one(kind, m, contract(format_), encoded(format_, rows), "type")
        kind = f"lists of categories, {format_}"
        m = Markers(kind)
        named = pl.DataFrame([GOOD]).with_columns(
            shaped=pl.lit(m.text("category")).cast(pl.Enum([m.text("category")])).implode()
        )
        yield _one(kind, m, contract(format_), {FORMATS[format_]: columnar(format_, named)}, "type")


def _against_the_table() -> Iterator[Planted]:
    """What cannot be written beside what is published: the gate accepts it, and its table does not."""
    fields = "  - {name: id, type: string}\n  - {name: day, type: date}\n  - {name: deep, type: object}\n"
    for kind, more in {
        "a structure with other names": "",
        "a structure that is kept, with other names": "extra_fields: keep\n",
    }.items():
        m = Markers(kind)
        text = contract("parquet", fields=fields, more=more)
        same, other = {"a": 1}, {m.text("name inside"): m.text("value inside")}
        one = {"id": "ok", "day": GOOD["day"], "deep": same} | ({m.text("kept name"): same} if more else {})
        two = one | ({m.text("kept name"): other} if more else {"deep": other})
        yield _one(kind, m, text, encoded("parquet", [two]), earlier=(text, encoded("parquet", [one])))
    kind = "a structure that no table can hold"
    m = Markers(kind)
    rows = [{"id": "ok", "day": GOOD["day"], "deep": {m.text("name"): time(1, 2)}}]
    yield _one(kind, m, contract("parquet", fields=fields), encoded("parquet", rows))
    kind = "a column that was kept and is no more"
    m = Markers(kind)
    old, new = contract("csv", more="extra_fields: keep\n"), contract("csv").replace("1.0.0", "2.0.0")
    rows = [GOOD | {m.text("kept name"): m.text("kept value")}]
    yield _one(kind, m, new, encoded("csv", [GOOD]), earlier=(old, encoded("csv", rows)))


def _new_rules() -> Iterator[Planted]:
    kind = "published rows that break a new rule"
    m = Markers(kind)
    row = GOOD | {"id": m.text("id"), "ranged": m.number("ranged"), "kept": m.text("kept")}
    old = contract("csv").replace(", min: 0, max: 9", "")
    new = contract("csv").replace("1.0.0", "1.1.0")
    yield _one(kind, m, new, encoded("csv", [row]), "range", earlier=(old, encoded("csv", [row])))
    kind = "rows of another partition that break a new rule"
    m = Markers(kind)
    row = GOOD | {"id": m.text("id"), "ranged": m.number("ranged"), "kept": m.text("kept"), "day": date(2026, 10, 2)}
    yield _one(
        kind, m, new, encoded("csv", [GOOD]), earlier=(old, encoded("csv", [row])), earlier_partition="2026-10-02"
    )


PLANTED: tuple[Planted, ...] = (
    *_rows_that_break_rules(), *_rows_against_the_whole(), *_manifests_and_envelopes(), *_unreadable(), *_types(),
    *_nested(), *_against_the_table(), *_new_rules(),
)  # fmt: skip
BY_ID = {planted.id: planted for planted in PLANTED}
LABELS = frozenset(
    ["missing", "null", "type", "not_finite", "enum", "pattern", "range", "length", "blank", "untrimmed", "extra_field",
     "not_object", "row_rule", "key", "unique", "duplicate_rows", "group", "history", "partition", "coverage", "completeness", "contract", "unit", "freshness", "unreadable", "key.published"]
)  # fmt: skip
"""Every rule that can be broken by a value, or by a name that comes from the data."""


def published(kind: str) -> Planted:
    """A delivery of which one row is published, with markers in it, and two go to quarantine; the ground for damage."""
    m = Markers(kind)
    bad = bad_row("csv", m)
    good = GOOD | dict.fromkeys(set(bad) - set(GOOD)) | {"id": m.text("published"), "kept": m.text("published too")}
    text = contract("csv", "quarantine", more=f"{RULES}extra_fields: ignore\n")
    return Planted(kind, text, encoded("csv", [bad, bad, good]), m, ROW_RULES)


def _overwritten(pattern: str, content: str) -> Callable[[Path, Markers], None]:
    def damage(root: Path, markers: Markers) -> None:
        found = [path for path in sorted(root.glob(pattern)) if path.is_file()]
        assert found, f"nothing is at {pattern}"
        for path in found:
            path.chmod(0o600)
            path.write_bytes(content.format(markers.text(f"in place of {pattern}")).encode())

    return damage


def _foreign_entry(root: Path, markers: Markers) -> None:
    ledger = DeltaTable(str(root / "ledger"))
    row = pl.read_delta(str(root / "ledger"))[:1]
    odd = {name: markers.text(name) for name in ("event", "verdict", "counts", "reason", "identity")}
    write_deltalake(ledger, row.with_columns(**{name: pl.lit(text) for name, text in odd.items()}), mode="append")


def _foreign_delete(root: Path, markers: Markers) -> None:
    DeltaTable(str(root / "published/cases")).delete(f"kept = '{markers.text('published too')}'")


def _foreign_commit(root: Path, markers: Markers) -> None:
    names = ("submission", "contract", "partition", "found", "decided_at", "rows", "engine")
    about = CommitProperties(custom_metadata={name: markers.text(f"stated {name}") for name in names})
    DeltaTable(str(root / "published/cases")).delete("kept = 'nothing'", commit_properties=about)
    rows = pl.read_delta(str(root / "published/cases")).with_columns(kept=pl.lit(markers.text("foreign row")))
    write_deltalake(str(root / "published/cases"), rows, mode="append", commit_properties=about)


def _foreign_constraint(root: Path, markers: Markers) -> None:
    """The next write of the same rows is refused by delta-rs itself, with the rows in its words."""
    table = DeltaTable(str(root / "published/cases"))
    table.delete()
    table.alter.add_constraint({"foreign": f"kept <> '{markers.text('published too')}'"})


_GARBAGE, _AS_PARQUET, _AS_LOG = "{0}{0}{0}", "PAR1{0}{0}{0}{0}PAR1", '{{"metaData": {{"id": "{0}", "format": "{0}"}}}}'
DAMAGES: Mapping[str, Callable[[Path, Markers], None]] = {
    "a candidate of other bytes": _overwritten("candidates/cases/*.parquet", _AS_PARQUET),
    "a candidate's record that is none": _overwritten("candidates/cases/*.json", _GARBAGE),
    "a candidate's record that says else": _overwritten("candidates/cases/*.json", '{{"digest": "{0}"}}'),
    "entries of the ledger that are garbage": _overwritten("ledger/*/*.parquet", _AS_PARQUET),
    "a log of the ledger that is garbage": _overwritten("ledger/_delta_log/*.json", _AS_LOG),
    "an entry of the ledger by somebody else": _foreign_entry,
    "published rows that are garbage": _overwritten("published/cases/*/*.parquet", _AS_PARQUET),
    "a log of the table that is garbage": _overwritten("published/cases/_delta_log/*.json", _AS_LOG),
    "rows in quarantine that are garbage": _overwritten("quarantine/cases/*/*.parquet", _AS_PARQUET),
    "a log of quarantine that is garbage": _overwritten("quarantine/cases/_delta_log/*.json", _AS_LOG),
    "published rows that somebody deleted": _foreign_delete,
    "a commit by somebody else": _foreign_commit,
    "a constraint by somebody else": _foreign_constraint,
}


@dataclass
class Heard:
    """What was said, piece by piece, with where; so that a leak is told by its place."""

    pieces: list[tuple[str, str]] = field(default_factory=list)

    def add(self, where: str, said: str | bytes) -> None:
        self.pieces.append((where, said if isinstance(said, str) else said.decode("utf-8", "replace")))

    def add_error(self, where: str, error: BaseException) -> None:
        """All that an error shows, and every error behind it, also those that Python leaves out of a traceback."""
        self.add(f"{where}: traceback", "".join(traceback.format_exception(error)))
        waiting, seen = [error], set[int]()
        while waiting:
            one = waiting.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            notes = getattr(one, "__notes__", [])
            self.add(f"{where}: {type(one).__name__}", f"{one} {one!r} {one.args!r} {notes!r}")
            waiting += [behind for behind in (one.__cause__, one.__context__) if behind is not None]

    def leaks(self, markers: Markers) -> list[tuple[str, list[str]]]:
        return [(where, found) for where, said in self.pieces if (found := markers.found_in(said))]


def cases(planted: Iterable[Planted] = PLANTED) -> list[Any]:
    """The parameters of a test, by name; those that leak today are marked so."""
    return [pytest.param(item, id=item.id) for item in planted]
