"""Values that steps hand over to later steps, and their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from workflows.core.convert.neutral import word
from workflows.core.dialects.steps_registry.convert.from_neutral import UNSET
from workflows.core.dialects.steps_registry.convert.placeholders import variable_of
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.text.tolerant import as_str


@dataclass(frozen=True, kw_only=True, eq=False)
class Handover:
    """`steps` of one registry. `called` are the names of the steps in the machine, `prompt` returns
    the text of a step's prompt."""

    steps: Mapping[str, Step]
    called: Mapping[str, str]
    prompt: Callable[[Step], str]

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
        key. Values of one key that no step consumes are one slot, and so are those that a
        conversion made from one; all other names are unique."""
        pairs = [
            (step.id, path.rpartition(".")[2])
            for step in self.steps.values()
            for path in step.handoff_fields
            if not self.picks(step, path)
        ]
        called = {each: min(names) for each, names in self.taken_up.items() if len(names) == 1}
        result_names: dict[tuple[str, str], str] = {}
        holders: dict[str, tuple[str, str]] = {}
        for each in sorted(pairs, key=lambda each: each not in called):
            id, key = each
            name = called.get(each, key)
            holder = holders.get(name, each)
            unused = holder[1] == key and not {holder, each} & self.taken_up.keys()
            shared = unused or name in self.parted
            if holder != each and not shared:
                name = variable_of(word(self.called[id]), key)
            result_names[each] = name
            holders.setdefault(name, each)
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
            parted = self._parted(step)
            for name, item in step.inputs.items():
                origin, _, key = as_str(item.get("from")).rpartition(".")
                uses.setdefault((origin, key), set()).add(key if name in parted else name)
        return uses

    @cached_property
    def parted(self) -> frozenset[str]:
        """The slots that a conversion has split into one value for each step that fills them."""
        found = (self._parted(step).values() for step in self.steps.values())
        return frozenset(key for keys in found for key in keys)

    def _parted(self, step: Step) -> dict[str, str]:
        """Inputs → slot, as a conversion writes one slot that several steps fill: the values have
        the names of their steps, and the prompt shows them in a row only."""
        groups: dict[str, list[str]] = {}
        for name, item in step.inputs.items():
            origin, _, key = as_str(item.get("from")).rpartition(".")
            if item.get("default") == UNSET and name == variable_of(origin, key):
                groups.setdefault(key, []).append(name)
        shown = "".join(self.prompt(step).split())
        return {
            name: key
            for key, names in groups.items()
            for name in names
            if len(names) > 1
            and all(
                shown.count("".join(map(written, names))) == shown.count(written(one)) > 0
                for one in names
            )
        }


def written(variable: str) -> str:
    """A variable as a prompt shows it."""
    return f"{{uv-{variable}}}"
