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


async def test_a_parameter_is_never_null_and_a_filter_may_be_given_empty(serve: Serve, offline: Database) -> None:
    document = await described(serve, offline)
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    parameters = [parameter for operation in operations for parameter in operation.get("parameters", ())]
    assert "null" not in json.dumps(parameters)
    assert all(one.get("allowEmptyValue") for one in parameters if one["in"] == "query" and not one["required"])
    day = next(one for one in parameters if one["name"] == "runDate")
    assert day["schema"] == {"type": "string", "format": "date"}


async def test_every_link_leads_to_an_operation_and_fills_its_path(serve: Serve, offline: Database) -> None:
    document = await described(serve, offline)
    operations = {one["operationId"]: one for methods in document["paths"].values() for one in methods.values()}
    links = [
        link
        for operation in operations.values()
        for answer in operation["responses"].values()
        for link in answer.get("links", {}).values()
    ]
    assert links
    for link in links:
        asked = operations[link["operationId"]]["parameters"]
        assert set(link["parameters"]) == {parameter["name"] for parameter in asked if parameter["in"] == "path"}


async def test_the_description_asks_for_a_token_just_where_the_server_does(serve: Serve, offline: Database) -> None:
    assert (await described(serve, offline))["security"] == []
    client = await serve(offline, api_token="correct-horse-battery-staple")
    bearer = {"Authorization": "Bearer correct-horse-battery-staple"}
    document = await (await client.get("/api/openapi.json", headers=bearer)).json()
    assert document["security"] == [{"token": []}]
    open_ones = {
        path
        for path, methods in document["paths"].items()
        for operation in methods.values()
        if operation.get("security") == []
    }
    assert open_ones == {"/healthz"}


async def test_what_is_exported_is_described_field_by_field(serve: Serve, offline: Database) -> None:
    document = await described(serve, offline)
    answer = document["paths"]["/api/export/postings.json"]["get"]["responses"]["200"]
    assert answer["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/PostingExport"}
    assert "representativeId" in document["components"]["schemas"]["PostingRecord"]["properties"]


async def test_a_word_where_an_id_is_due_is_another_resource(serve: Serve, offline: Database) -> None:
    client = await serve(offline)
    for method in ("PATCH", "GET", "OPTIONS"):
        answer = await client.request(method, "/api/job-postings/manual-registrations")
        assert (answer.status, answer.headers["Allow"]) == (405, "POST"), method
    assert (await client.get("/api/job-postings/nonsense")).status == 404


async def test_a_whole_number_is_taken_as_json_may_spell_it_and_a_text_is_not(serve: Serve, db: Database) -> None:
    client = await serve(db)
    for spelt, status in (("404.0", 404), ("4.04e2", 404), ("404.5", 422), ('"404"', 422), ("true", 422)):
        body = f'{{"jobPostingId": {spelt}, "appliedAt": "2026-12-01T09:00:00+09:00"}}'
        answer = await client.post("/api/applications", data=body, headers={"Content-Type": "application/json"})
        assert answer.status == status, spelt
