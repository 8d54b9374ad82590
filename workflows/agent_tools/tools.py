"""The tools: each reads packs and returns short JSON."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from workflows.agent_tools.answers import (
    MOST,
    consequences_json,
    difference_json,
    fields_json,
    finding_json,
    graph_json,
    listed,
    near,
    offer_json,
    without_empty,
    worst_json,
)
from workflows.agent_tools.packs import AgentPack, Answer, Arguments, Packs, Report
from workflows.agent_tools.schemas import (
    EDITS,
    PACK,
    REVISION,
    SAME_EDITS,
    Schema,
    flag,
    number,
    object_of,
    text,
)
from workflows.consequences.consequences import Walks, consequences
from workflows.consequences.recordings import Recording, case_verdicts, replayed
from workflows.core.compare.difference import difference
from workflows.core.dialects import dialects, recognise
from workflows.core.dialects.base import Source
from workflows.core.engine.rehearsal.rehearse import rehearse as rehearse_pack
from workflows.core.engine.replay.recording import InvalidRecording
from workflows.core.engine.replay.verify import Verdict
from workflows.core.pack.edits import edits_from_json
from workflows.core.pack.findings import LEVELS
from workflows.core.rules import RULES
from workflows.core.rules.check import summary
from workflows.core.rules.worst_case import pack_worst_case
from workflows.core.text.json.pointer import pointer_of
from workflows.errors import BadRequest, NotThere, Refused, Stale
from workflows.folder.tree import is_visible_path

CHANGED = "Read the pack again, and send the edits with its new revision."
STEPS_OF_A_REPORT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool of the protocol. `call` gets the packs of the arguments whose schema is PACK, then all
    arguments, and a function that reports progress. Without it, the place with the packs answers.
    `writes`: it changes packs."""

    name: str
    description: str
    schema: Schema
    call: Callable[..., Answer] | None = None
    writes: bool = False

    @property
    def packs(self) -> tuple[str, ...]:
        """The arguments that name packs."""
        properties = self.schema["properties"]
        return tuple(name for name, schema in properties.items() if schema is PACK)


TOOLS: dict[str, Tool] = {}


def tool(description: str, schema: Schema) -> Callable[[Any], Any]:
    """Add a function to the tools, under its name."""

    def add(call: Any) -> Any:
        name = call.__name__
        TOOLS[name] = Tool(name=name, description=description, schema=schema, call=call)
        return call

    return add


def call_tool(packs: Packs, name: str, given: Arguments, report: Report) -> Answer:
    """The answer of a tool whose arguments fit its schema. Raises the errors of `Packs`."""
    match name:
        case "packs":
            rows = (
                {"pack": one.address, "dialect": one.dialect, "name": one.name}
                for one in packs.listed(given.get("like", ""))
            )
            return {"packs": [], **listed("packs", rows)}
        case "apply":
            return packs.apply(given, report)
        case _:
            return packs.work(TOOLS[name], given, report)


TOOLS["packs"] = Tool(
    name="packs",
    description="List the packs: their address for the other tools, format, name.",
    schema=object_of("", like=text("only with this text in address or name")),
)


@tool(
    "States and transitions of a pack. Large packs: ask for a level, or for states near one.",
    object_of(
        "pack",
        pack=PACK,
        level=text("default: the pack's own"),
        near=text("a state"),
        depth=number("transitions from `near`; default 1", 1, 9),
    ),
)
def graph(pack: AgentPack, given: Arguments, report: Report) -> Answer:
    whole = pack.graph
    level, centre = given.get("level", ""), given.get("near")
    if level not in whole.levels:
        raise NotThere(f"There is no level {level!r}.", hint=f"Levels: {list(whole.levels)}")
    shown = whole if centre else whole.on(level)
    if centre:
        _require_state(centre, (one.id for one in whole.states))
        shown = near(whole, [centre], given.get("depth", 1))
    return {
        "revision": pack.revision,
        "dialect": pack.dialect.name,
        "profile": pack.version.profile,
        **graph_json(shown, whole.levels),
    }


@tool(
    "Values of one element: state:ID, transition:ID, prompt:KEY, pack, … Long texts are cut; "
    "`field` returns one value whole.",
    object_of("pack element", pack=PACK, element=text(), field=text("JSON pointer")),
)
def element(pack: AgentPack, given: Arguments, report: Report) -> Answer:
    source = pack.readable
    form = pack.dialect.fields(source, given["element"], pack.version.profile)
    head = {"revision": pack.revision, "line": source.locate(form.place).line}
    if "field" not in given:
        links = [one for one, _ in form.links]
        return {**head, "values": dict(form.values), **without_empty({"links": links})}
    value: Any = form.values
    try:
        for key in pointer_of(given["field"]):
            value = value[int(key)] if isinstance(value, list) else value[key]
    except (ValueError, LookupError, TypeError):
        raise NotThere(
            f"{given['element']!r} has no value at {given['field']!r}.",
            hint="Leave `field` out to see all values, or call `offers` for the fields.",
        ) from None
    return {**head, "value": value}


@tool(
    "Kinds of states and objects, and all elements. "
    "With one: its fields, and for a state the transitions that can be added.",
    object_of("pack", pack=PACK, element=text()),
)
def offers(pack: AgentPack, given: Arguments, report: Report) -> Answer:
    source, profile = pack.readable, pack.version.profile
    name = given.get("element", "")
    if not name:
        sections = pack.dialect.outline(source)
        return without_empty(
            {
                "revision": pack.revision,
                "add_state": {one.kind: one.title for one in pack.dialect.palette()},
                "add_object": [one.kind for one in sections if one.addable],
                **listed("elements", (item for one in sections for item, _ in one.items)),
            }
        )
    form = pack.dialect.fields(source, name, profile)
    kind, _, id = name.partition(":")
    added = pack.dialect.offers(source, id, profile) if kind == "state" else ()
    return without_empty(
        {
            "revision": pack.revision,
            "fields": fields_json(form.schema),
            **listed("connect", map(offer_json, added)),
            "removable": form.removable,
            "renamable": form.renamable,
        }
    )


@tool(
    "Findings of a pack, errors first, each with the path that proves it.",
    object_of(
        "pack",
        pack=PACK,
        level={"enum": list(LEVELS), "description": "the mildest; default: warning"},
        code=text("only this rule"),
        fixes=flag("with the edits that fix a finding"),
    ),
)
def check(pack: AgentPack, given: Arguments, report: Report) -> Answer:
    found = pack.selected(pack.version.findings)
    levels = LEVELS[: LEVELS.index(given.get("level", "warning")) + 1]
    chosen = [one for one in found if one.level in levels]
    if "code" in given:
        chosen = [one for one in found if one.code == given["code"]]
    shown = (finding_json(one, fix=given.get("fixes", False)) for one in chosen)
    return {
        "revision": pack.revision,
        **({} if pack.version.source.readable else {"readable": False}),
        "counts": summary(found),
        **listed("findings", shown),
    }


@tool(
    "The help page of a rule, by the code of a finding.",
    object_of("code", code=text()),
)
def rule(given: Arguments, report: Report) -> Answer:
    rules = {one.code: one for one in RULES}
    for dialect in dialects().values():
        rules |= {one.code: one for one in dialect.rules()}
    found = rules.get(given["code"])
    if found is None:
        raise NotThere(f"There is no rule {given['code']!r}.", hint="`check` lists codes.")
    profiles = list(found.profiles) or "every"
    return {"title": found.title, "level": found.level, "profiles": profiles, "help": found.help}


@tool(
    "The most that one run can cost. `no bound`: nothing in the files limits it.",
    object_of(
        "pack",
        pack=PACK,
        assume={
            "type": "object",
            "additionalProperties": {"type": "integer", "minimum": 0},
            "maxProperties": 50,
            "description": "numbers for the `open` unknowns of a formula",
        },
    ),
)
def worst_case(pack: AgentPack, given: Arguments, report: Report) -> Answer:
    source, assumed = pack.readable, {**pack.version.assumed, **given.get("assume", {})}
    bound = pack.dialect.call_bound(source, assumed)
    known = () if bound is None else bound.unknowns
    if wrong := sorted(set(given.get("assume", {})) - set(known)):
        names = ", ".join(map(repr, known)) or "none"
        raise NotThere(
            f"There is no unknown {wrong[0]!r} in {pack.name!r}.", hint=f"Unknowns: {names}"
        )
    formula = {} if bound is None else {"formula": bound.formula, "open": list(bound.open)}
    worst = pack_worst_case(pack.dialect, source, pack.graph, assumed)
    return {"revision": pack.revision, **worst_json(worst), **without_empty(formula)}


@tool(
    "Walk through a pack many times without a model: transitions that no run takes.",
    object_of(
        "pack",
        pack=PACK,
        runs=number("default 50", 1, 1_000),
        seed=number("default 1", 0, 1_000_000),
    ),
)
def rehearse(pack: AgentPack, given: Arguments, report: Report) -> Answer:
    walked = rehearse_pack(
        pack.version.walked_program(),
        pack.graph,
        runs=given.get("runs", 50),
        seed=given.get("seed", 1),
        limits=pack.walk,
        is_over=_timer(pack, report),
    )
    never = (id for id in walked.unreached if id not in pack.allowed_gaps)
    return {
        "revision": pack.revision,
        "runs": walked.runs,
        "taken": f"{len(walked.transitions) - len(walked.unreached)} of {len(walked.transitions)}",
        "ended": dict(walked.outcomes),
        **listed("never_taken", never),
        **listed("notes", walked.notes),
    }


PREVIEW = {
    "pack": PACK,
    "revision": REVISION,
    "rehearse": flag("with coverage before and after, which may take seconds; default false"),
    "diff": flag("with the changed lines; default false"),
}


@tool(
    "Consequences of edits, without writing: parts that can be accepted alone, changes, findings "
    "that appear and disappear, worst case, coverage, recorded runs that would diverge, cases that "
    "would break.",
    object_of("pack edits", **PREVIEW, edits=EDITS),
)
def propose(pack: AgentPack, given: Arguments, report: Report) -> Answer:
    _, answer = proposed(pack, given, report)
    return answer


TOOLS["apply"] = Tool(
    name="apply",
    description="Write edits, all or none; every other byte stays. Returns the consequences and "
    "the new revision. Without the right to write it keeps them as a proposal for a person.",
    schema=object_of("pack edits revision", **PREVIEW, edits=SAME_EDITS),
    writes=True,
)


@tool(
    "Differences in meaning between two packs of one format, old and new value of each field.",
    object_of("before after", before=PACK, after=PACK),
)
def diff(before: AgentPack, after: AgentPack, given: Arguments, report: Report) -> Answer:
    if before.dialect.name != after.dialect.name:
        raise BadRequest(
            f"{before.name!r} is a {before.dialect.label} and {after.name!r} a "
            f"{after.dialect.label}: only packs of one format can be compared."
        )
    found = difference(after.dialect, before.readable, after.readable, after.version.profile)
    return {"same": found.same, **difference_json(found, values=True)}


@tool(
    "Recorded runs and cases against the pack as it is now: the first event that differs. Default: "
    "the pack's cases and its recorded runs.",
    object_of(
        "pack", pack=PACK, runs={"type": "array", "items": text(), "minItems": 1, "maxItems": 100}
    ),
)
def verify(pack: AgentPack, given: Arguments, report: Report) -> Answer:
    source, program = pack.readable, pack.version.program
    named = given.get("runs", ())
    report("recorded runs")
    cases = () if named else case_verdicts(program, source.files)
    verdicts = {one.path: one.verdict for one in cases if one.verdict}
    verdicts |= {name: _verdict(pack, name, run) for name, run in pack.recorded(named).items()}
    if not verdicts:
        raise NotThere(
            f"There are no recorded runs and no cases of {pack.name!r}.",
            hint="Name the runs in `runs`.",
        )
    diverging = (
        {"run": name, "first_event": one.divergence.message}
        for name, one in verdicts.items()
        if one.divergence
    )
    return {"revision": pack.revision, "runs": len(verdicts), **listed("diverging", diverging)}


def _verdict(pack: AgentPack, name: str, run: Recording) -> Verdict:
    try:
        return replayed(pack.version.program, run)
    except InvalidRecording as invalid:
        raise BadRequest(f"{name}: {invalid}") from invalid


def proposed(pack: AgentPack, given: Arguments, report: Report) -> tuple[Source, Answer]:
    """The pack after the edits in `given`, and the answer of `propose`. Raises Stale for another
    revision, BadEdit, EditRefused and Refused."""
    expected = given.get("revision", pack.revision)
    if expected != pack.revision:
        raise Stale(f"{pack.name!r} has revision {pack.revision}, not {expected!r}.", hint=CHANGED)
    edits = edits_from_json(given["edits"])
    after = pack.dialect.apply_all(pack.readable, edits)
    _require_used(pack, after)
    walks = Walks(limits=replace(pack.walk, covered=True), is_over=lambda: _timer(pack, report))
    found = consequences(
        pack.version,
        replace(pack.version, source=after),
        edits,
        walks=walks if given.get("rehearse") else None,
        logs=pack.recorded(()) or None,
        report=report,
    )
    answer = consequences_json(found, diff=given.get("diff", False))
    return after, {"revision": pack.revision, **answer}


def _require_used(pack: AgentPack, after: Source) -> None:
    """Raises Refused for a new file that the pack would not read, such as a setting of another
    program."""
    used = {path for one in recognise(after.files) for path in one.paths}
    for path in sorted(set(after.files) - set(pack.readable.files)):
        if path not in used or not is_visible_path(path.split("/")):
            raise Refused(
                f"{path!r} would be no file of {pack.name!r}.",
                hint="Name it in the pack with an edit of the same call, or leave it out.",
            )


def _timer(pack: AgentPack, report: Report) -> Callable[[], bool]:
    """True when a rehearsal has to end. Reports its progress."""
    steps, until = 0, time.monotonic() + pack.seconds

    def is_over() -> bool:
        nonlocal steps
        steps += 1
        if steps % STEPS_OF_A_REPORT == 0:
            report(f"rehearsal, {steps:,} steps")
        return time.monotonic() > until

    return is_over


def _require_state(id: str, ids: Iterable[str]) -> None:
    known = list(ids)
    if id not in known:
        names = ", ".join(map(repr, known[:MOST]))
        raise NotThere(f"There is no state {id!r}.", hint=f"States: {names}")
