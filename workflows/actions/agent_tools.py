"""Tools of coding agents and of the assistant over the packs of this server, with the rights of one
user. Their work on packs runs in the processes for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from roles.rights import Level, level_of
from workflows.actions.edits import edit
from workflows.actions.proposals import keep
from workflows.agent_tools.calls import answered
from workflows.agent_tools.packs import Answer, Arguments, ListedPack, Report
from workflows.agent_tools.tools import TOOLS, Tool
from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.edits import edits_from_json
from workflows.errors import NotThere, TookTooLong
from workflows.isolation import Stopped, run_apart
from workflows.isolation.jobs import SentPack
from workflows.models import Pack, Run
from workflows.rights.gate import require
from workflows.rights.levels import KINDS
from workflows.selectors import packs as read
from workflows.selectors.consequences import LIMITS, SECONDS, WALK, completed_runs, logs_of
from workflows.selectors.known_tools import known_tools
from workflows.selectors.sources import opened

REPLAYING = ("propose", "verify")
LONG = ("rehearse", *REPLAYING)
"""Tools for which no edit should wait."""
KEPT = "The edits are kept as a proposal. A person who may edit this pack accepts or rejects it."


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPacks:
    """The packs that a user may see: a place of `agent_tools.packs.Packs`. Their addresses are
    their ids, their revisions numbers. `writes`: `apply` makes revisions of packs that the user may
    edit; else it keeps proposals."""

    user: User
    writes: bool = False

    def listed(self, like: str) -> Iterator[ListedPack]:
        for pack in read.packs(self.user, like):
            yield ListedPack(address=str(pack.pk), dialect=pack.dialect, name=pack.name)

    def work(self, tool: Tool, given: Arguments, report: Report) -> Answer:
        """Raises NotThere, TookTooLong, and the errors of the tool."""
        assert tool.call is not None
        if not tool.packs:
            return tool.call(given, report)
        rows = [self._pack(given[name]) for name in tool.packs]
        sent = [self._sent(pack, tool.name, given) for pack in rows]
        files = [opened(pack).files for pack in rows]
        others = [
            (one, pack.dialect, its)
            for one, pack, its in zip(sent[1:], rows[1:], files[1:], strict=True)
        ]
        report(tool.name)
        try:
            answer: Answer = run_apart(
                "long_agent_tool" if tool.name in LONG else "agent_tool",
                rows[0].dialect,
                files[0],
                tool.name,
                given,
                sent[0],
                others,
                limits=LIMITS,
                waiting=lambda: report(f"{tool.name}, still at work"),
            )
        except Stopped as stopped:
            raise TookTooLong(
                stopped.sentence(f"`{tool.name}`"),
                hint="Ask for less, send fewer edits, or split the pack.",
            ) from None
        return answer

    def apply(self, given: Arguments, report: Report) -> Answer:
        """Write the edits as one revision, or keep them as a proposal."""
        pack = self._pack(given["pack"])
        answer = self.work(TOOLS["propose"], given, report)
        edits = edits_from_json(given["edits"])
        report("writing")
        base = int(answer["revision"])
        if self.writes and level_of(self.user, pack) >= Level.EDIT:
            change = edit(pack.pk, base, edits, self.user)
            return {**answer, "revision": str(change.revision)}
        parts = answer.get("parts") or [list(range(len(edits)))]
        row = keep(pack.pk, base, edits, parts, self.user, "")
        return {**answer, "proposal": row.pk, "note": KEPT}

    def _pack(self, address: str) -> Pack:
        """Raises NotThere, also for a pack that the user may not see."""
        kind = KINDS["pack"]
        pack: Pack | None = kind.find(address)
        if pack is None or pack.deleted:
            raise NotThere(kind.missing.format(address), hint="Call `packs` for their addresses.")
        require(self.user, pack, Level.READ)
        return pack

    def _sent(self, pack: Pack, tool: str, given: Arguments) -> SentPack:
        runs = completed_runs(pack, self.user)
        if "runs" in given and tool == "verify":
            runs = runs.filter(pk__in=[self._run(pack, one).pk for one in given["runs"]])
        return SentPack(
            name=str(pack.pk),
            revision=str(pack.head),
            profile=pack.profile,
            tools=known_tools(pack),
            logs=logs_of(runs) if tool in REPLAYING else {},
            walk=WALK,
            seconds=SECONDS,
        )

    def _run(self, pack: Pack, address: str) -> Run:
        run: Run | None = KINDS["run"].find(address)
        if run is None or run.pack_id != pack.pk:
            raise NotThere(f"There is no run {address!r} of this pack.")
        return run


@dataclass(frozen=True, slots=True, kw_only=True)
class PackTools:
    """The tools that read one pack and try edits, for a model. They write nothing, and cannot
    reach another pack."""

    packs: StoredPacks
    pack: int

    @property
    def declarations(self) -> tuple[ToolSpec, ...]:
        """Name, description and JSON Schema of each tool, as a request to a model needs them."""
        return tuple(
            ToolSpec(name=tool.name, description=tool.description, parameters=_of_one_pack(tool))
            for tool in TOOLS.values()
            if tool.packs in ((), ("pack",)) and tool.call
        )

    def call(self, name: str, arguments: Arguments, report: Report = lambda stage: None) -> Answer:
        """The answer of a tool: short JSON. For a tool that is not declared, wrong arguments and
        refused edits it is `{"error", "next"}`: the reason and the next step. Blocks; use it where
        the database may be used. `report` is called about each second, and ends the work by
        raising CallEnded."""
        if name not in {one.name for one in self.declarations}:
            return {"error": f"There is no tool {name!r}."}
        here = {"pack": str(self.pack)} if TOOLS[name].packs else {}
        answer, _ = answered(self.packs, name, {**arguments, **here}, report)
        return answer


def pack_tools(user: User, pack: int) -> PackTools:
    """The tools of the assistant for this pack: `graph`, `element`, `offers`, `check`, `rule`,
    `worst_case`, `rehearse`, `propose` and `verify`, with the rights of the user."""
    return PackTools(packs=StoredPacks(user=user), pack=pack)


def _of_one_pack(tool: Tool) -> dict[str, Any]:
    """The schema of a tool's arguments without the pack."""
    properties = {name: one for name, one in tool.schema["properties"].items() if name != "pack"}
    required = [name for name in tool.schema.get("required", ()) if name != "pack"]
    return {**tool.schema, "properties": properties, "required": required}
