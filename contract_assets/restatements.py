"""What a correction changes of what is published → numbers that the UI plots, and a row for each field."""

from collections.abc import Mapping

import dagster as dg

from contract_core.rendering.restatements import most_restated, percent_words, restated_words

_COLUMNS = (
    dg.TableColumn("field", "string"),
    dg.TableColumn("keys", "int"),
    dg.TableColumn(
        "changed by", "string", description="Of the field's sum over keys on both sides, where it may be told."
    ),
)


def restatement_metadata(restated: Mapping[str, int]) -> Mapping[str, dg.MetadataValue]:
    """How many published rows and keys a delivery replaces, and in which fields; nothing where it corrects nothing."""
    if not restated:
        return {}
    numbers = {"rows_replaced": restated["rows_before"]}
    numbers |= {name: count for name, count in restated.items() if name.startswith("keys_")}
    records = [
        dg.TableRecord({"field": name, "keys": count, "changed by": "" if ppm is None else percent_words(ppm)})
        for name, count, ppm in most_restated(restated)
    ]
    metadata: dict[str, dg.MetadataValue] = {name: dg.MetadataValue.int(count) for name, count in numbers.items()}
    metadata["correction"] = dg.MetadataValue.text(restated_words(restated))
    if records:
        schema = dg.TableSchema(columns=list(_COLUMNS))
        metadata["restated"] = dg.MetadataValue.table(records=records, schema=schema)
    return metadata
