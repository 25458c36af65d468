"""The OpenAPI 3.1 description, made from the models that validate and serialise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema

from daemon.web.route import Route, needs_body

_REF = "#/components/schemas/"

_PROBLEM = {
    "type": "object",
    "description": "RFC 9457 problem document; members beyond these depend on `type`.",
    "required": ["type", "title", "status"],
    "properties": {
        "type": {"type": "string", "description": "`urn:gonggo:problem:…`, or about:blank."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong with this request."},
        "errors": {
            "type": "array",
            "description": "With 422: the values at fault.",
            "items": {
                "type": "object",
                "required": ["in", "field", "code", "message"],
                "properties": {
                    "in": {"type": "string", "enum": ["query", "header", "body"]},
                    "field": {"type": "string"},
                    "code": {"type": "string"},
                    "message": {"type": "string"},
                },
            },
        },
    },
}


class _Untitled(GenerateJsonSchema):
    """Without a title for each field, which would only repeat its name."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


class _Schemas:
    """The JSON schemas of every model of the routes, by name."""

    def __init__(self, routes: Sequence[Route]) -> None:
        models: list[tuple[type[BaseModel], JsonSchemaMode]] = []
        for route in routes:
            models += [(model, "validation") for model in route.inputs.values()]
            models += [(route.answer, "serialization")] if route.answer is not None else []
        self._refs, found = models_json_schema(
            list(dict.fromkeys(models)), ref_template=_REF + "{model}", schema_generator=_Untitled
        )
        self._named: dict[str, Any] = found.get("$defs", {})
        self._inlined: set[str] = set()

    def ref(self, model: type[BaseModel]) -> dict[str, Any]:
        """A pointer to the schema of an input."""
        return {"$ref": self._refs[model, "validation"]["$ref"]}

    def inline(self, model: type[BaseModel], mode: JsonSchemaMode) -> dict[str, Any]:
        """The schema itself, which then is no component any more."""
        name = self._refs[model, mode]["$ref"].removeprefix(_REF)
        self._inlined.add(name)
        schema: dict[str, Any] = self._named[name]
        return schema

    def components(self) -> dict[str, Any]:
        """The schemas that are pointed to."""
        return {name: schema for name, schema in self._named.items() if name not in self._inlined}


def describe(routes: Sequence[Route]) -> dict[str, Any]:
    """The OpenAPI document of these routes."""
    schemas = _Schemas(routes)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gonggo",
            "version": version("gonggo"),
            "description": "Instants are ISO 8601 in UTC (`…Z`), dates `YYYY-MM-DD` are KST business days.",
        },
        "paths": paths,
        "components": {
            "schemas": {**schemas.components(), "Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "GONGGO_API_TOKEN"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(route: Route, schemas: _Schemas) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.handler.__name__,
        "summary": route.summary,
        "responses": {str(route.status): _answer(route, schemas), **_problems(route)},
    }
    parameters = [
        parameter
        for place, model in route.inputs.items()
        if place != "body"
        for parameter in _parameters(place, schemas.inline(model, "validation"))
    ]
    if parameters:
        operation["parameters"] = parameters
    if "body" in route.inputs:
        content = {"application/json": {"schema": schemas.ref(route.inputs["body"])}}
        operation["requestBody"] = {"required": needs_body(route.inputs["body"]), "content": content}
    return operation


def _parameters(place: str, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    required = schema.get("required", ())
    return [
        {
            "name": name,
            "in": place,
            "required": name in required,
            "description": about.get("description", ""),
            "schema": {key: value for key, value in about.items() if key != "description"},
        }
        for name, about in schema.get("properties", {}).items()
    ]


def _answer(route: Route, schemas: _Schemas) -> dict[str, Any]:
    phrase = HTTPStatus(route.status).phrase
    if route.answer is None:
        return {"description": phrase, "content": {route.content_type: {}}}
    # The wrapper that spells names in camel case only points on to the dataclass.
    schema = {"$ref": schemas.inline(route.answer, "serialization")["$ref"]}
    answer: dict[str, Any] = {"description": phrase, "content": {"application/json": {"schema": schema}}}
    if route.tagged:
        answer["headers"] = {"ETag": {"description": "The version, for `If-Match`.", "schema": {"type": "string"}}}
    return answer


def _problems(route: Route) -> dict[str, Any]:
    told = {} if route.open else {401: "A token is required", 503: "The database does not answer"}
    if not {"query", "header", "body"}.isdisjoint(route.inputs):
        told[422] = "A value is invalid; `errors` names the fields"
    if "body" in route.inputs:
        told |= {
            400: "The body is not JSON",
            413: "The body is larger than 64 KiB",
            415: "The body is not sent as JSON",
        }
    if route.method != "GET":
        told[403] = "Written by a page of another origin"
    told |= route.refusals
    content = {"application/problem+json": {"schema": {"$ref": _REF + "Problem"}}}
    return {str(status): {"description": why, "content": content} for status, why in sorted(told.items())}
