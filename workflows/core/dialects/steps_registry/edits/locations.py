"""Files and pointers of elements."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.edits.common import step_of, transition_of
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import EditRefused, missing_element
from workflows.core.text.json.document import Pointer

TABLES = {
    "validator": "validators",
    "failurePattern": "failurePatterns",
    "validationStep": "validationSteps",
    "entry": "entryStepMapping",
}
"""Element kinds of the registry's own maps."""


def split_element(element: str) -> tuple[str, str]:
    kind, _, key = element.partition(":")
    return kind, key


def place_of(source: RegistrySource, element: str) -> tuple[str, Pointer]:
    """The file and pointer of an element. Raises EditRefused for an unknown element."""
    kind, key = split_element(element)
    match kind:
        case "pack" | "":
            return source.main, ()
        case "state":
            return source.main, ("steps", step_of(source, key).id)
        case "transition":
            transition = transition_of(source, key)
            return source.main, ("steps", transition.source, "transitions", transition.intent)
        case "entry" if not key:
            pointer: Pointer = ("entryStep",)
        case "agent":
            if source.json(source.agent_path) is None:
                raise EditRefused("This pack has no readable agent.json.", where=element)
            return source.agent_path, ()
        case "file" if key in source.files:
            return key, ()
        case _ if kind in TABLES:
            pointer = (TABLES[kind], key)
        case _:
            raise missing_element(element)
    if source.registry is None or not source.registry.has(pointer):
        raise missing_element(element, kind=kind)
    return source.main, pointer
