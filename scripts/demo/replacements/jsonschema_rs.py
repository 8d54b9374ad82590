"""JSON Schema in Python: the part of jsonschema-rs that the core uses.

The `jsonschema` package finds the same violations, in another order and with messages of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import jsonschema
from jsonschema import exceptions, validators
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012


class RegexOptions:
    def __init__(self, **limits: int) -> None: ...


FancyRegexOptions = RegexOptions


class ReferencingError(Exception):
    """A reference leads nowhere."""


class Kind:
    """A keyword with its expected value. `as_dict` has the names that jsonschema-rs gives it."""

    __match_args__ = ()

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        self.name = name
        self._values = values
        for key, value in values.items():
            setattr(self, key, value)

    def as_dict(self) -> dict[str, Any]:
        return self._values


class Required(Kind): ...


class AdditionalProperties(Kind): ...


class Enum(Kind): ...


class Pattern(Kind): ...


class Type(Kind): ...


CLASSES = {
    "required": Required,
    "additionalProperties": AdditionalProperties,
    "enum": Enum,
    "pattern": Pattern,
    "type": Type,
}
ValidationErrorKind = SimpleNamespace(**{one.__name__: one for one in CLASSES.values()})


class ValidationError(ValueError):
    """A value does not fit a schema."""

    def __init__(self, message: str, path: list[str | int], kind: Kind, instance: Any) -> None:
        super().__init__(message)
        self.message = message
        self.instance_path = path
        self.kind = kind
        self.instance = instance


def _ours(error: exceptions.ValidationError) -> Iterator[ValidationError]:
    """The error, for missing properties one with each name."""
    name, expected = str(error.validator), error.validator_value
    match name:
        case "required":
            missing = error.message.removesuffix(" is a required property")
            values = {"property": next(one for one in expected if repr(one) == missing)}
        case "additionalProperties":
            schema = error.schema
            patterns = "|".join(schema.get("patternProperties", ()))
            known = schema.get("properties", {})
            extra = [one for one in error.instance if one not in known]
            if patterns:
                import re

                extra = [one for one in extra if not re.search(patterns, one)]
            values = {"unexpected": sorted(extra)}
        case "type":
            types = expected if isinstance(expected, list) else [expected]
            values = {"types": sorted(types)}
        case "enum":
            values = {"options": expected}
        case "const":
            values = {"expected_value": expected}
        case "pattern":
            values = {"pattern": expected}
        case "None":
            name, values = "falseSchema", {}
        case _:
            values = {"limit": expected}
    kind = CLASSES.get(name, Kind)(name, values)
    yield ValidationError(error.message, list(error.absolute_path), kind, error.instance)


class Validator:
    base: Any = jsonschema.Draft202012Validator

    def __init__(self, schema: Any, retriever: Callable[[str], Any] | None = None) -> None:
        kind = validators.validator_for(schema, default=self.base)
        self._validator = kind(schema, registry=Registry(retrieve=_retrieve(retriever)))

    def is_valid(self, value: Any) -> bool:
        return _resolved(lambda: bool(self._validator.is_valid(value)))

    def iter_errors(self, value: Any) -> Iterator[ValidationError]:
        for error in _resolved(lambda: list(self._validator.iter_errors(value))):
            yield from _ours(error)


class Draft202012Validator(Validator): ...


class Draft7Validator(Validator):
    base = jsonschema.Draft7Validator


def validator_for(
    text: str, *, retriever: Callable[[str], Any], pattern_options: RegexOptions
) -> Validator:
    """A validator of a schema that a pack has, which is checked too. Raises ValidationError."""
    schema = json.loads(text)
    try:
        validators.validator_for(schema, default=Validator.base).check_schema(schema)
    except exceptions.SchemaError as error:
        raise next(_ours(error)) from None
    return Validator(schema, retriever)


def _retrieve(retriever: Callable[[str], Any] | None) -> Any:
    def retrieve(uri: str) -> Any:
        if retriever is None:
            raise ValueError(uri)
        return Resource.from_contents(retriever(uri), default_specification=DRAFT202012)

    return retrieve


def _resolved(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Unresolvable as error:
        raise ReferencingError(str(error)) from error
