"""The part of the schema of Databricks bundles that our bundles use, written down from its documentation.

The published schema belongs to a program whose terms allow its use only beside a service of Databricks, so that it is no part of
these tests. Here nothing may stand beside what is written down, so that a new attribute asks for a look at the documentation.
"""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]
TEXT: Schema = {"type": "string", "minLength": 1}


def record(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these attributes and no others."""
    known = {**required, **(optional or {})}
    return {"type": "object", "properties": known, "required": [*required], "additionalProperties": False}


def listed(item: Schema) -> Schema:
    return {"type": "array", "items": item, "minItems": 1}


def by_name(item: Schema) -> Schema:
    return {"type": "object", "additionalProperties": item, "minProperties": 1}


def one_of(*texts: str) -> Schema:
    return {"enum": [*texts]}


PAUSE = one_of("PAUSED", "UNPAUSED")
RUN_AS = record({"service_principal_name": TEXT})


def grants(*privileges: str) -> Schema:
    return listed(record({"principal": TEXT, "privileges": listed(one_of(*privileges))}))


SCHEMA = record(
    {"catalog_name": TEXT, "name": TEXT},
    {"grants": grants("USE_SCHEMA", "SELECT", "MODIFY", "CREATE_TABLE", "READ_VOLUME", "WRITE_VOLUME")},
)
VOLUME = record(
    {"catalog_name": TEXT, "schema_name": TEXT, "name": TEXT},
    {"volume_type": one_of("MANAGED", "EXTERNAL"), "grants": grants("READ_VOLUME", "WRITE_VOLUME")},
)
TASK = record(
    {"task_key": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,100}$"}},
    {
        "environment_key": TEXT,
        "max_retries": {"type": "integer", "minimum": -1},
        "spark_python_task": record({"python_file": TEXT}, {"parameters": listed(TEXT)}),
    },
)
JOB = record(
    {"name": TEXT, "tasks": listed(TASK)},
    {
        "description": TEXT,
        "max_concurrent_runs": {"type": "integer", "minimum": 0},
        "queue": record({"enabled": {"type": "boolean"}}),
        "schedule": record({"quartz_cron_expression": TEXT, "timezone_id": TEXT}, {"pause_status": PAUSE}),
        "trigger": record(
            {},
            {
                "pause_status": PAUSE,
                "file_arrival": record(
                    {"url": {"type": "string", "pattern": "^/Volumes/.*/$"}},
                    {"wait_after_last_change_seconds": {"type": "integer", "minimum": 60}},
                ),
            },
        ),
        "parameters": listed(record({"name": TEXT, "default": {"type": "string"}})),
        "environments": listed(
            record(
                {
                    "environment_key": TEXT,
                    "spec": record({}, {"environment_version": TEXT, "dependencies": listed(TEXT)}),
                }
            )
        ),
        "tags": by_name({"type": "string", "maxLength": 255}),
    },
)
RESOURCES = record({}, {"jobs": by_name(JOB), "schemas": by_name(SCHEMA), "volumes": by_name(VOLUME)})
TARGET = record({}, {"default": {"const": True}, "mode": one_of("development", "production"), "run_as": RUN_AS})
BUNDLE = record(
    {"bundle": record({"name": TEXT})},
    {
        "include": listed(TEXT),
        "variables": by_name(record({}, {"description": TEXT, "default": {"type": "string"}})),
        "targets": by_name(TARGET),
        "resources": RESOURCES,
    },
)
