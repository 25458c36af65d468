"""The OpenAPI 3.1 description, made from the models that validate and serialise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema

from daemon.web.route import Route, answer_model, needs_body

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


_ABOUT = """Instants are told as ISO 8601 in UTC (`…Z`) and taken with any offset, in years from 1970 to 9998. Dates
`YYYY-MM-DD` are KST business days.

Formats of our own: `line` is text that is more than blanks, `words` text that may be nothing, both on one line; `slug`
is what a platform has in its address for a company; `keyword` has a letter or a digit, no control character,
and is short enough once normalised, too; `web-address` is an http(s) address without a user's name or `..` in it;
`entity-tags` is `*`, or what `ETag` told, in quotes."""

_HEADERS = {
    "ETag": {"description": "The version, for `If-Match`.", "schema": {"type": "string"}},
    "Location": {"description": "What was made.", "schema": {"type": "string"}},
    "Retry-After": {"description": "Seconds.", "schema": {"type": "integer", "minimum": 0}},
    "WWW-Authenticate": {"schema": {"type": "string"}},
}

_OF_PROBLEMS = {401: "WWW-Authenticate", 412: "ETag", 503: "Retry-After"}


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
            models += [
                (answer_model(told), "serialization") for told in (route.answer, route.shape) if told is not None
            ]
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


def describe(routes: Sequence[Route], *, guarded: bool) -> dict[str, Any]:
    """The OpenAPI document of these routes; `guarded` tells whether a token is asked for."""
    schemas = _Schemas(routes)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gonggo",
            "version": version("gonggo"),
            "description": _ABOUT,
        },
        "paths": paths,
        "components": {
            "schemas": {**schemas.components(), "Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "GONGGO_API_TOKEN"}},
        },
        "security": [{"token": []}] if guarded else [],
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
    if route.open:
        operation["security"] = []
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
            # `?companyId=` is as good as leaving it out.
            **({"allowEmptyValue": True} if place == "query" and name not in required else {}),
            "schema": _of_parameter(about),
        }
        for name, about in schema.get("properties", {}).items()
    ]


def _of_parameter(about: Mapping[str, Any]) -> dict[str, Any]:
    """A parameter's schema; there is no null in a path, query or header: what is not given is left out."""
    schema = {key: value for key, value in about.items() if key != "description"}
    given = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if len(given) == 1:
        del schema["anyOf"]
        schema = given[0] | schema
    if schema.get("default", ...) is None:
        del schema["default"]
    return schema


def _answer(route: Route, schemas: _Schemas) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "description": HTTPStatus(route.status).phrase,
        "content": {route.content_type: {"schema": _content(route, schemas)}},
    }
    if headers := {name: _HEADERS[name] for name in _told_in(route)}:
        answer["headers"] = headers
    if route.links:
        answer["links"] = {name: _link(name, filled) for name, filled in route.links.items()}
    return answer


def _content(route: Route, schemas: _Schemas) -> dict[str, Any]:
    told = route.answer or route.shape
    if told is None:
        return {"type": "object" if route.content_type == "application/json" else "string"}
    # The wrapper that spells names in camel case only points on to the dataclass.
    return {"$ref": schemas.inline(answer_model(told), "serialization")["$ref"]}


def _told_in(route: Route) -> list[str]:
    """The headers of the answer that mean something to a program."""
    told = ["ETag"] if route.tagged else []
    return told + (["Location"] if route.tagged and route.status == HTTPStatus.CREATED else [])


def _link(name: str, filled: Mapping[str, str]) -> dict[str, Any]:
    sources = {
        parameter: f"$request.{member}" if member.startswith("path.") else f"$response.body#/{member}"
        for parameter, member in filled.items()
    }
    return {"operationId": name, "parameters": sources}


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
    return {
        str(status): {
            "description": why,
            "content": content,
            **({"headers": {_OF_PROBLEMS[status]: _HEADERS[_OF_PROBLEMS[status]]}} if status in _OF_PROBLEMS else {}),
        }
        for status, why in sorted(told.items())
    }
