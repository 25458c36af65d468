"""The API describes itself from what validates and serialises it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from daemon.db import Database
from daemon.web.app import ROUTES
from tests.web.conftest import Serve


def references(node: object) -> Iterator[str]:
    """Every `$ref` below a node."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


async def described(serve: Serve, offline: Database) -> dict[str, Any]:
    client = await serve(offline)
    answer = await client.get("/api/openapi.json")
    assert answer.status == 200
    document: dict[str, Any] = await answer.json()
    return document


async def test_every_route_is_described_and_nothing_else(serve: Serve, offline: Database) -> None:
    document = await described(serve, offline)
    assert document["openapi"] == "3.1.0"
    told = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert told == {(route.method, route.path) for route in ROUTES}
    ids = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(ids) == len(set(ids))


async def test_every_reference_leads_somewhere_and_every_schema_is_used(serve: Serve, offline: Database) -> None:
    document = await described(serve, offline)
    schemas = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(references(document)) == schemas


async def test_parameters_and_bodies_are_those_that_are_validated(serve: Serve, offline: Database) -> None:
    document = await described(serve, offline)
    runs = document["paths"]["/api/operations/collection-runs"]["get"]
    days = next(parameter for parameter in runs["parameters"] if parameter["name"] == "days")
    assert (days["in"], days["required"]) == ("query", False)
    assert (days["schema"]["default"], days["schema"]["minimum"], days["schema"]["maximum"]) == (30, 1, 366)
    switch = document["paths"]["/api/flags/{flagKey}"]["put"]
    assert [(parameter["name"], parameter["in"], parameter["required"]) for parameter in switch["parameters"]] == [
        ("flagKey", "path", True)
    ]
    body = document["components"]["schemas"]["FlagSwitch"]
    assert (body["required"], body["additionalProperties"]) == (["enabled"], False)
    assert {"400", "403", "404", "413", "415", "422"} <= set(switch["responses"])
    assert "401" not in document["paths"]["/healthz"]["get"]["responses"]


async def test_answers_are_described_field_by_field_in_camel_case(serve: Serve, offline: Database) -> None:
    document = await described(serve, offline)
    run = document["components"]["schemas"]["CollectionRun"]
    assert {"jobSourceId", "runStatus", "cycleStatus", "closeGuarded", "declaredTotal"} <= set(run["properties"])
    assert set(run["required"]) == set(run["properties"])
    runs = document["components"]["schemas"]["CollectionRuns"]["properties"]
    assert runs["slaSnapshot"] == {
        "$ref": "#/components/schemas/SlaSnapshot",
        "description": "Of the present KST day.",
    }
    assert "seenRowsOlderThan48Hours" in runs
    assert "_" not in "".join(name for name in json.dumps(list(run["properties"])))
