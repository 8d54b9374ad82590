"""Values that steps hand over to later steps, and their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from workflows.core.convert.neutral import word
from workflows.core.dialects.steps_registry.convert.placeholders import variable_of
from workflows.core.dialects.steps_registry.format.steps import Step, text_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Handover:
    """`steps` of one registry. `called` are the names of the steps in the machine."""

    steps: Mapping[str, Step]
    called: Mapping[str, str]

    def writes(self, step: Step) -> dict[str, str]:
        """The slots that a step fills, with the field of its answer."""
        paths = {}
        for path in step.handoff_fields:
            slot = self.names.get((step.id, path.rpartition(".")[2]))
            if slot is not None:
                paths[slot] = path
        return paths

    @cached_property
    def names(self) -> dict[tuple[str, str], str]:
        """(step, key of a value handed over) → slot. The name is the one of its consumers, else the
        key. Slot names are unique."""
        pairs = [
            (step.id, path.rpartition(".")[2])
            for step in self.steps.values()
            for path in step.handoff_fields
            if not self.picks(step, path)
        ]
        called = {each: min(names) for each, names in self.taken_up.items() if len(names) == 1}
        result_names: dict[tuple[str, str], str] = {}
        taken: set[str] = set()
        for each in sorted(pairs, key=lambda each: each not in called):
            id, key = each
            name = called.get(each, key)
            result_names[each] = (
                name if name not in taken else variable_of(word(self.called[id]), key)
            )
            taken.add(result_names[each])
        return result_names

    def picks(self, step: Step, path: str) -> bool:
        """True if a handoff field only selects the next step."""
        key = path.rpartition(".")[2]
        conditions = {rule.get("condition") for rule in step.rules.values()}
        return key in conditions and (step.id, key) not in self.taken_up

    @cached_property
    def taken_up(self) -> Mapping[tuple[str, str], set[str]]:
        """(step, key of a value handed over) → its names at the consuming steps."""
        uses: dict[tuple[str, str], set[str]] = {}
        for step in self.steps.values():
            for name, item in step.inputs.items():
                origin, _, key = text_of(item.get("from")).rpartition(".")
                uses.setdefault((origin, key), set()).add(name)
        return uses
