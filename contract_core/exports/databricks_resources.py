"""What a bundle of Databricks holds for a contract: variables and targets, schemas and volumes with their grants, the gate as a job.

Only the contract's name and version stand in these files, and no other words of it: a bundle reads `${…}` in any text.
"""

from collections.abc import Mapping
from typing import Any

from contract_core.contract.model import Contract

TARGETS = ("dev", "test", "acceptance", "production")
_VOLUME = "/Volumes/${{var.catalog}}/${{resources.schemas.{0}.name}}/${{resources.volumes.{0}.name}}"
_READ, _WRITE, _USE = "READ_VOLUME", "WRITE_VOLUME", "USE_SCHEMA"

Document = Mapping[str, Any]


def bundle(contract: Contract, included: tuple[str, ...]) -> Document:
    """`databricks.yml`: where it is deployed is asked of the caller, as is every identity."""
    return {
        "bundle": {"name": f"contract_gate_{contract.name}"},
        "include": list(included),
        "variables": _variables(contract),
        "targets": {name: _target(name) for name in TARGETS},
    }


def _variables(contract: Contract) -> Document:
    schemas = {
        f"{place}_schema": {"description": what, "default": f"{contract.name}_{place}"}
        for place, what in (
            ("landing", "The schema into which the producer delivers."),
            ("candidates", "The schema of candidates, ledger and quarantine, for the gate alone."),
            ("reporting", "The schema of what is published."),
        )
    }
    asked = {
        "catalog": "The catalog that the schemas are made in.",
        "producers": "The group or principal that delivers.",
        "gate": "The application id of the service principal that the job runs as.",
        "readers": "The group or principal that reads what is published.",
        "gate_wheel": "Where the wheel of contract-gate lies, or its name and version in an index.",
    }
    return {name: {"description": what} for name, what in asked.items()} | schemas


def _target(name: str) -> Document:
    mode = {"dev": "development", "production": "production"}.get(name)
    is_default = {"default": True} if name == "dev" else {}
    return is_default | ({"mode": mode} if mode else {}) | {"run_as": {"service_principal_name": "${var.gate}"}}


def places() -> Document:
    """Schemas and volumes: the producer writes landing alone, nobody but the gate sees candidates, readers read what is published."""
    return {
        "resources": {
            "schemas": {
                "landing": _schema("landing", {"producers": [_USE], "gate": [_USE]}),
                "candidates": _schema("candidates", {"gate": [_USE]}),
                "reporting": _schema("reporting", {"gate": [_USE], "readers": [_USE, "SELECT"]}),
            },
            "volumes": {
                "landing": _volume("landing", "deliveries", {"producers": [_READ, _WRITE], "gate": [_READ]}),
                "candidates": _volume("candidates", "gate", {"gate": [_READ, _WRITE]}),
                "reporting": _volume("reporting", "published", {"gate": [_READ, _WRITE], "readers": [_READ]}),
            },
        }
    }


def _schema(place: str, granted: Mapping[str, list[str]]) -> Document:
    return {"catalog_name": "${var.catalog}", "name": f"${{var.{place}_schema}}", "grants": _grants(granted)}


def _volume(place: str, name: str, granted: Mapping[str, list[str]]) -> Document:
    schema = f"${{resources.schemas.{place}.name}}"
    named = {"catalog_name": "${var.catalog}", "schema_name": schema, "name": name, "volume_type": "MANAGED"}
    return named | {"grants": _grants(granted)}


def _grants(granted: Mapping[str, list[str]]) -> list[Document]:
    return [{"principal": f"${{var.{who}}}", "privileges": what} for who, what in granted.items()]


def job(contract: Contract, contract_file: str, python_file: str) -> Document:
    """The gate as a job without a cluster of its own: at the deadline, or when something lands where no deadline is promised."""
    return {
        "resources": {
            "jobs": {
                "gate": {
                    "name": f"contract_gate_{contract.name}",
                    "description": f"Judge deliveries of {contract.name} {contract.version}, publish what keeps the contract.",
                    "max_concurrent_runs": 1,
                    "queue": {"enabled": True},
                    **_start(contract),
                    "parameters": [
                        {"name": "partition", "default": ""},
                        {"name": "look_back", "default": str(_look_back(contract))},
                    ],
                    "environments": [
                        {
                            "environment_key": "gate",
                            "spec": {"environment_version": "3", "dependencies": ["${var.gate_wheel}"]},
                        }
                    ],
                    "tasks": [_task(contract_file, python_file)],
                    "tags": {"contract": contract.name, "contract_version": contract.version},
                }
            }
        }
    }


def _task(contract_file: str, python_file: str) -> Document:
    """No retries: a refusal stays one. The moment is that of the start, so that a repaired run means the same partitions."""
    given = {
        "contract": f"${{workspace.file_path}}/{contract_file}",
        "landing": _VOLUME.format("landing"),
        "root": _VOLUME.format("candidates"),
        "published": _VOLUME.format("reporting"),
        "moment": "{{job.trigger.time.iso_datetime}}",
        "partition": "{{job.parameters.partition}}",
        "look-back": "{{job.parameters.look_back}}",
    }
    parameters = [f"--{name}={value}" for name, value in given.items()]
    return {
        "task_key": "publish",
        "environment_key": "gate",
        "max_retries": 0,
        "spark_python_task": {"python_file": f"../{python_file}", "parameters": parameters},
    }


def _look_back(contract: Contract) -> int:
    """How many of the newest partitions that are due a run looks for: a week of hours or days, so that none is passed over on days off."""
    terms = contract.delivery.partition
    return {"hour": 168, "day": 7}.get(terms.every or "", 3) if terms is not None else 1


def _start(contract: Contract) -> Document:
    due = contract.delivery.due
    if due is None:
        return {
            "trigger": {
                "pause_status": "UNPAUSED",
                "file_arrival": {"url": f"{_VOLUME.format('landing')}/", "wait_after_last_change_seconds": 60},
            }
        }
    days = "MON-FRI" if due.calendar == "weekdays" else "*"
    cron = f"{due.by.second} {due.by.minute} {due.by.hour} ? * {days}"
    return {"schedule": {"quartz_cron_expression": cron, "timezone_id": due.timezone, "pause_status": "UNPAUSED"}}
