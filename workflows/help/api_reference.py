"""The reference of the API as Markdown, from its OpenAPI document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

METHODS = ("get", "post", "put", "patch", "delete")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def api_pages(document: str) -> Mapping[str, str]:
    """Address → Markdown: a list of all operations, one page for each tag, one of all objects."""
    api = yaml.load(document, _Loader)
    by_tag: dict[str, list[tuple[str, str, Any]]] = defaultdict(list)
    for path, methods in api["paths"].items():
        for method in METHODS:
            if operation := methods.get(method):
                by_tag[operation["tags"][0]].append((method.upper(), path, operation))
    found = {f"api/{tag}": _tag_page(tag, rows) for tag, rows in by_tag.items()}
    found["api/operations"] = _list_page(by_tag)
    found["api/objects"] = _objects_page(api["components"]["schemas"])
    return found


def _list_page(by_tag: Mapping[str, list[tuple[str, str, Any]]]) -> str:
    lines = [
        "# API operations",
        "",
        "All operations of `/api/v1/`, from the [OpenAPI document](../../openapi.yaml). The page "
        "[HTTP API](../) describes sign-in, errors, paging and a first program.",
    ]
    for tag, rows in sorted(by_tag.items()):
        lines += ["", f"## {tag}", "", "| operation | summary |", "|---|---|"]
        lines += [
            f"| [`{method} {path}`](../{tag}/#{one['operationId']}) | {one['summary']} |"
            for method, path, one in rows
        ]
    return "\n".join(lines) + "\n"


def _tag_page(tag: str, rows: list[tuple[str, str, Any]]) -> str:
    lines = [f"# API: {tag}", "", "[All operations](../operations/) · [objects](../objects/)"]
    for method, path, operation in rows:
        lines += ["", f"## {operation['operationId']}", "", f"`{method} {path}`", ""]
        lines += [operation["description"], "", f"Scope of a token: {_scope(operation)}."]
        if parameters := operation.get("parameters"):
            lines += ["", "| parameter | in | type | meaning |", "|---|---|---|---|"]
            lines += [
                f"| `{one['name']}`{_required(one)} | {one['in']} | {_type(one['schema'])} "
                f"| {_cell(one.get('description', ''))} |"
                for one in parameters
            ]
        if body := operation.get("requestBody"):
            lines += ["", f"Body: {_content(body['content'])}."]
        lines += ["", "| response | body |", "|---|---|", *_responses(operation["responses"])]
    return "\n".join(lines) + "\n"


def _objects_page(schemas: Mapping[str, Any]) -> str:
    lines = ["# API: objects", "", "[All operations](../operations/)"]
    for name, schema in schemas.items():
        lines += ["", f"## {name}", ""]
        if about := schema.get("description"):
            lines += [about, ""]
        if properties := schema.get("properties"):
            lines += ["| property | type | meaning |", "|---|---|---|"]
            for key, one in properties.items():
                needed = _required({"required": key in schema.get("required", ())})
                text = _cell(one.get("description", ""))
                lines.append(f"| `{key}`{needed} | {_type(one)} | {text} |")
        else:
            lines.append(f"{_type({**schema, 'description': ''})}")
    return "\n".join(lines) + "\n"


def _responses(responses: Mapping[str, Any]) -> Iterator[str]:
    """The rows of a table; errors with the common body are one row."""
    common = []
    for status, response in responses.items():
        content = response.get("content")
        if "$ref" in response or (
            content and _content(content).endswith("[Error](../objects/#Error)")
        ):
            common.append(status)
        else:
            parts = [response.get("description", ""), _content(content) if content else ""]
            yield f"| {status} | {_cell(' '.join(part for part in parts if part))} |"
    if common:
        yield f"| {', '.join(common)} | [Error](../objects/#Error) |"


def _content(content: Mapping[str, Any]) -> str:
    """The types of a body: all media types have one schema here, or each its own."""
    types: dict[str, list[str]] = defaultdict(list)
    for media, one in content.items():
        types[_type(one.get("schema", {}))].append(f"`{media}`")
    return "; ".join(f"{' or '.join(media)}: {type}" for type, media in types.items())


def _scope(operation: Mapping[str, Any]) -> str:
    scopes = [
        scope for one in operation.get("security", ()) for scope in one.get("bearerToken", ())
    ]
    return f"`{scopes[0]}`" if scopes else "none is needed"


def _required(one: Mapping[str, Any]) -> str:
    return " (required)" if one.get("required") else ""


def _type(schema: Mapping[str, Any]) -> str:
    """A type as Markdown, with links to objects."""
    if name := schema.get("$ref", "").rpartition("/")[2]:
        return f"[{name}](../objects/#{name})"
    for key, word in (("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")):
        if several := schema.get(key):
            return word.join(_type(one) for one in several)
    if values := schema.get("enum"):
        return ", ".join(f"`{_cell(str(value))}`" if value != "" else '""' for value in values)
    if "const" in schema:
        return f"`{schema['const']}`"
    type = schema.get("type", "any JSON")
    if isinstance(type, list):
        return " or ".join(_type({**schema, "type": one}) for one in type)
    if type == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if type == "object" and isinstance(values := schema.get("additionalProperties"), dict):
        return f"object of {_type(values)}"
    return f"{type} ({schema['format']})" if "format" in schema else str(type)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
