"""Contract → partitions definition: spans of time as Dagster counts them, values as dynamic partitions."""

import dagster as dg

from contract_core.contract.model import Contract


def partitions_of(contract: Contract) -> dg.PartitionsDefinition | None:
    """The partitions of a contract's assets, the running one included; None where the contract has none."""
    terms = contract.delivery.partition
    if terms is None:
        return None
    if terms.every is None or terms.start is None:
        return dg.DynamicPartitionsDefinition(name=contract.name)
    start, zone = terms.start.isoformat(), terms.timezone
    match terms.every:
        case "hour":
            return dg.HourlyPartitionsDefinition(start_date=f"{start}-00:00", timezone=zone, end_offset=1)
        case "day":
            return dg.DailyPartitionsDefinition(start_date=start, timezone=zone, end_offset=1)
        case "week":
            return dg.WeeklyPartitionsDefinition(start_date=start, timezone=zone, end_offset=1)
        case "month":
            return dg.MonthlyPartitionsDefinition(start_date=start, timezone=zone, end_offset=1)
