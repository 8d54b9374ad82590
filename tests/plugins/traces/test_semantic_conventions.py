"""Every name that traces have in the namespaces of OpenTelemetry is a constant of its published
package, and none that it has replaced or removed."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from typing import get_args

from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.semconv.attributes import error_attributes

from tests.support.checks import each_row
from workflows.plugins.traces import evaluations, spans
from workflows.plugins.traces.spans import PROVIDERS
from workflows.providers.endpoint import Kind

SOURCES = [Path(inspect.getfile(module)) for module in (evaluations, spans)]
EVENTS = {"gen_ai.evaluation.result"}
"""Events: the package has constants of attributes only."""
MOVED = "Deprecated: Moved to"
"""The note of each current name of `gen_ai`: a repository of its own continues them."""


def names_in(namespace: str) -> set[str]:
    """The string literals of this namespace in the code that writes traces."""
    pattern = re.compile(rf"{namespace}\.[a-z_.]+")
    literals = {
        node.value
        for source in SOURCES
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {text for text in literals if pattern.fullmatch(text)}


def constants_of(namespace: str) -> dict[str, str]:
    """Name → its note in the package, "" if it has none."""
    module = importlib.import_module(
        f"opentelemetry.semconv._incubating.attributes.{namespace}_attributes"
    )
    source = inspect.getsource(module)
    found = re.findall(
        r'^[A-Z_]+: Final = (?:\(\n\s+)?"([^"]+)"\n?\)?\n"""\n(.*?)"""', source, re.M | re.S
    )
    return dict(found)


@each_row(["gen_ai", "process"])
def test_the_names_of_traces_are_those_of_the_published_package(namespace: str) -> None:
    used, known = names_in(namespace) - EVENTS, constants_of(namespace)
    assert used, "no name was found: the test reads the wrong files"
    assert used <= known.keys()
    old = {name: known[name] for name in used if known[name].startswith("Deprecated")}
    assert not {name: note for name, note in old.items() if not note.startswith(MOVED)}


def test_the_type_of_an_error_is_stable() -> None:
    assert names_in("error") == {error_attributes.ERROR_TYPE}


def test_a_replaced_name_would_be_found() -> None:
    assert "Replaced by" in constants_of("gen_ai")["gen_ai.system"]


def test_the_values_of_operations_and_providers_are_published() -> None:
    operations = {one.value for one in gen_ai.GenAiOperationNameValues}
    source = SOURCES[1].read_text()
    used = set(re.findall(r'"gen_ai\.operation\.name": "([a-z_]+)"', source))
    assert used == {"chat", "execute_tool", "invoke_agent", "invoke_workflow"}
    assert used <= operations
    providers = {one.value for one in gen_ai.GenAiProviderNameValues}
    assert {PROVIDERS.get(name, name) for name in get_args(Kind)} <= providers
