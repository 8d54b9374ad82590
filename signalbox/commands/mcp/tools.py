"""The tools. Each calls a function of the command line and shortens its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from signalbox.commands.check import selected_findings
from signalbox.commands.coverage import coverage_of
from signalbox.commands.edit import applied
from signalbox.commands.errors import Trouble
from signalbox.commands.mcp.answers import (
    MOST,
    consequences_json,
    difference_json,
    fields_json,
    finding_json,
    graph_json,
    listed,
    near,
    offer_json,
    revision_of,
    without_empty,
    worst_json,
)
from signalbox.commands.mcp.folders import CHANGED, Folders
from signalbox.commands.mcp.schemas import (
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
from signalbox.commands.packs import PackHere
from signalbox.commands.proposal import proposal
from workflows.consequences.consequences import Walks
from workflows.core.compare.difference import difference
from workflows.core.dialects import dialects, recognise
from workflows.core.dialects.base import Source
from workflows.core.pack.edits import edits_from_json
from workflows.core.pack.files import BadFiles
from workflows.core.pack.findings import LEVELS
from workflows.core.rules import RULES
from workflows.core.rules.check import check as check_pack
from workflows.core.rules.check import summary
from workflows.core.rules.worst_case import pack_worst_case
from workflows.core.text.json.pointer import pointer_of
from workflows.folder.tree import is_visible_path

Arguments = Mapping[str, Any]
Report = Callable[[str], None]
"""Is called with the name of what follows. Ends the work if the client has cancelled it."""
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool of the protocol. `writes`: it changes files."""

    name: str
    description: str
    schema: Schema
    call: Callable[[Folders, Arguments, Report], Answer]
    writes: bool = False


TOOLS: dict[str, Tool] = {}


def tool(description: str, schema: Schema, *, writes: bool = False) -> Callable[[Any], Any]:
    """Add a function to the tools, under its name."""

    def add(call: Any) -> Any:
        name = call.__name__
        TOOLS[name] = Tool(
            name=name, description=description, schema=schema, call=call, writes=writes
        )
        return call

    return add


@tool("List the packs: path, format, name.", object_of("", below=text("only of this folder")))
def packs(folders: Folders, given: Arguments, report: Report) -> Answer:
    found = (
        {"pack": one.shown, "dialect": one.dialect.name, "name": one.location.name}
        for one in folders.packs(given.get("below"))
    )
    return {"packs": [], **listed("packs", found)}


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
def graph(folders: Folders, given: Arguments, report: Report) -> Answer:
    pack = folders.pack(given["pack"])
    _, whole, profile = pack.graph(folders.settings(pack).profile_for(pack.dialect.profiles))
    level, centre = given.get("level", ""), given.get("near")
    if level not in whole.levels:
        raise Trouble(f"There is no level {level!r}.", hint=f"Levels: {list(whole.levels)}")
    shown = whole if centre else whole.on(level)
    if centre:
        _require_state(centre, (one.id for one in whole.states))
        shown = near(whole, [centre], given.get("depth", 1))
    return {
        "revision": revision_of(pack),
        "dialect": pack.dialect.name,
        "profile": profile,
        **graph_json(shown, whole.levels),
    }


@tool(
    "Values of one element: state:ID, transition:ID, prompt:KEY, pack, … Long texts are cut; "
    "`field` returns one value whole.",
    object_of("pack element", pack=PACK, element=text(), field=text("JSON pointer")),
)
def element(folders: Folders, given: Arguments, report: Report) -> Answer:
    pack, source, profile = _opened(folders, given)
    form = pack.dialect.fields(source, given["element"], profile)
    head = {"revision": revision_of(pack), "line": source.locate(form.place).line}
    if "field" not in given:
        links = [one for one, _ in form.links]
        return {**head, "values": dict(form.values), **without_empty({"links": links})}
    value: Any = form.values
    try:
        for key in pointer_of(given["field"]):
            value = value[int(key)] if isinstance(value, list) else value[key]
    except (ValueError, LookupError, TypeError):
        raise Trouble(
            f"{given['element']!r} has no value at {given['field']!r}.",
            hint="Leave `field` out to see all values, or call `offers` for the fields.",
        ) from None
    return {**head, "value": value}


@tool(
    "Kinds of states and objects, and all elements. "
    "With one: its fields, and for a state the transitions that can be added.",
    object_of("pack", pack=PACK, element=text()),
)
def offers(folders: Folders, given: Arguments, report: Report) -> Answer:
    pack, source, profile = _opened(folders, given)
    name = given.get("element", "")
    if not name:
        sections = pack.dialect.outline(source)
        return without_empty(
            {
                "revision": revision_of(pack),
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
            "revision": revision_of(pack),
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
def check(folders: Folders, given: Arguments, report: Report) -> Answer:
    pack = folders.pack(given["pack"])
    project = folders.settings(pack)
    profile = pack.profile(project.profile_for(pack.dialect.profiles))
    source = pack.dialect.read(pack.files)
    found = selected_findings(pack, project, check_pack(pack.dialect, source, profile))
    levels = LEVELS[: LEVELS.index(given.get("level", "warning")) + 1]
    chosen = [one for one in found if one.level in levels]
    if "code" in given:
        chosen = [one for one in found if one.code == given["code"]]
    shown = (finding_json(one, fix=given.get("fixes", False)) for one in chosen)
    return {
        "revision": revision_of(pack),
        **({} if source.readable else {"readable": False}),
        "counts": summary(found),
        **listed("findings", shown),
    }


@tool("The help page of a rule, by the code of a finding.", object_of("code", code=text()))
def rule(folders: Folders, given: Arguments, report: Report) -> Answer:
    rules = {one.code: one for one in RULES}
    for dialect in dialects().values():
        rules |= {one.code: one for one in dialect.rules()}
    found = rules.get(given["code"])
    if found is None:
        raise Trouble(f"There is no rule {given['code']!r}.", hint="`check` lists codes.")
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
def worst_case(folders: Folders, given: Arguments, report: Report) -> Answer:
    pack = folders.pack(given["pack"])
    project = folders.settings(pack)
    source, graph, _ = pack.graph(project.profile_for(pack.dialect.profiles))
    assumed = {**project.assume, **given.get("assume", {})}
    bound = pack.dialect.call_bound(source, assumed)
    known = () if bound is None else bound.unknowns
    if wrong := sorted(set(given.get("assume", {})) - set(known)):
        names = ", ".join(map(repr, known)) or "none"
        raise Trouble(
            f"There is no unknown {wrong[0]!r} in {pack.shown!r}.", hint=f"Unknowns: {names}"
        )
    formula = {} if bound is None else {"formula": bound.formula, "open": list(bound.open)}
    worst = pack_worst_case(pack.dialect, source, graph, assumed)
    return {"revision": revision_of(pack), **worst_json(worst), **without_empty(formula)}


@tool(
    "Walk through a pack many times without a model: transitions that no run takes.",
    object_of(
        "pack",
        pack=PACK,
        runs=number("default 50", 1, 1_000),
        seed=number("default 1", 0, 1_000_000),
    ),
)
def rehearse(folders: Folders, given: Arguments, report: Report) -> Answer:
    pack = folders.pack(given["pack"])
    project = folders.settings(pack)
    made = coverage_of(
        pack,
        project.profile_for(pack.dialect.profiles),
        runs=given.get("runs", 50),
        seed=given.get("seed", 1),
        inputs={},
        allowed=frozenset(project.allowed_gaps),
        needed=project.min_coverage,
        is_over=_never_over(report, "rehearsal"),
    )
    walked = made.rehearsal
    return {
        "revision": revision_of(pack),
        "runs": walked.runs,
        "taken": f"{len(walked.transitions) - len(walked.unreached)} of {len(walked.transitions)}",
        "ended": dict(walked.outcomes),
        **listed("never_taken", made.gaps),
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
def propose(folders: Folders, given: Arguments, report: Report) -> Answer:
    pack = folders.pack(given["pack"])
    _, answer = _proposed(folders, pack, given, report)
    return answer


@tool(
    "Write edits to the files, all or none; every other byte stays. Returns the consequences and "
    "the new revision.",
    object_of("pack edits revision", **PREVIEW, edits=SAME_EDITS),
    writes=True,
)
def apply(folders: Folders, given: Arguments, report: Report) -> Answer:
    with folders.writing(given["pack"]) as pack:
        after, answer = _proposed(folders, pack, given, report)
        changes = pack.files.difference(after.files)
        report("writing")
        folders.write(pack, changes)
        return {**answer, **_now(folders, pack, after), "written": sorted(changes)}


def _now(folders: Folders, before: PackHere, after: Source) -> Answer:
    """The revision of the written pack, and its path if that is another one. Edits may have written
    a file that the pack does not use."""
    try:
        pack = folders.pack(str(before.home / after.main))
    except (Trouble, BadFiles):
        return {"revision": "", "note": "The files are no longer recognised as this pack."}
    moved = {} if pack.shown == before.shown else {"pack": pack.shown}
    return {"revision": revision_of(pack), **moved}


@tool(
    "Differences in meaning between two packs of one format, old and new value of each field.",
    object_of("before after", before=PACK, after=PACK),
)
def diff(folders: Folders, given: Arguments, report: Report) -> Answer:
    before, after = (folders.pack(given[name]) for name in ("before", "after"))
    if before.dialect.name != after.dialect.name:
        raise Trouble(
            f"{before.shown!r} is a {before.dialect.label} and {after.shown!r} a "
            f"{after.dialect.label}: only packs of one format can be compared."
        )
    profile = after.profile(folders.settings(after).profile_for(after.dialect.profiles))
    sources = before.readable_source(), after.readable_source()
    found = difference(after.dialect, *sources, profile)
    return {"same": found.same, **difference_json(found, values=True)}


@tool(
    "Recorded runs and cases against the pack as it is now: the first event that differs. Default: "
    "the cases of the pack, and the runs in [verify.runs] of .signalbox.toml.",
    object_of(
        "pack", pack=PACK, runs={"type": "array", "items": text(), "minItems": 1, "maxItems": 100}
    ),
)
def verify(folders: Folders, given: Arguments, report: Report) -> Answer:
    from signalbox.commands.recorded_runs import cases_of, verified
    from signalbox.commands.run_files import run_files

    pack = folders.pack(given["pack"])
    project = folders.settings(pack)
    names = [name for one in given.get("runs", ()) for name in run_files(_inside(folders, one))]
    names = names or [*cases_of(pack), *_recorded(folders, pack)]
    if not names:
        raise Trouble(
            "There are no recorded runs and no cases of this pack.",
            hint="Name their files in `runs`, or list them in [verify.runs] of .signalbox.toml.",
        )
    report("recorded runs")
    profile = project.profile_for(pack.dialect.profiles)
    verdicts = verified(pack, names, profile, project).verdicts
    diverging = (
        {"run": name, "first_event": one.divergence.message}
        for name, one in verdicts.items()
        if one.divergence
    )
    return {"revision": revision_of(pack), "runs": len(verdicts), **listed("diverging", diverging)}


def _opened(folders: Folders, given: Arguments) -> tuple[PackHere, Source, str]:
    pack = folders.pack(given["pack"])
    profile = pack.profile(folders.settings(pack).profile_for(pack.dialect.profiles))
    return pack, pack.readable_source(), profile


def _proposed(
    folders: Folders, pack: PackHere, given: Arguments, report: Report
) -> tuple[Source, Answer]:
    """The pack after the edits, and the answer. Raises Trouble for another revision."""
    now = revision_of(pack)
    expected = given.get("revision", now)
    if expected != now:
        raise Trouble(f"{pack.shown!r} has revision {now}, not {expected!r}.", hint=CHANGED)
    edits = edits_from_json(given["edits"])
    source = pack.readable_source()
    after = applied(pack, source, edits)
    _require_used(pack, after)
    walks = Walks(is_over=lambda: _never_over(report, "rehearsal"))
    found = proposal(
        pack,
        after,
        edits,
        folders.settings(pack),
        walks=walks if given.get("rehearse") else None,
        runs=_recorded(folders, pack),
        report=report,
    )
    return after, {"revision": now, **consequences_json(found, diff=given.get("diff", False))}


def _require_used(pack: PackHere, after: Source) -> None:
    """Raises Trouble for a new file that the pack would not read, such as a setting of another
    program."""
    used = {path for one in recognise(after.files) for path in one.paths}
    for path in sorted(set(after.files) - set(pack.files)):
        if path not in used or not is_visible_path(path.split("/")):
            raise Trouble(
                f"{path!r} would be no file of {pack.shown!r}.",
                hint="Name it in the pack with an edit of the same call, or leave it out.",
            )


def _never_over(report: Report, what: str) -> Callable[[], bool]:
    """Reports progress of a rehearsal, which ends by itself or with the client's request."""
    steps = 0

    def is_over() -> bool:
        nonlocal steps
        steps += 1
        if steps % STEPS_OF_A_REPORT == 0:
            report(f"{what}, {steps:,} steps")
        return False

    return is_over


STEPS_OF_A_REPORT = 100


def _recorded(folders: Folders, pack: PackHere) -> list[str]:
    """The files in [verify.runs]. Raises Trouble for one outside the paths of the server."""
    from signalbox.commands.recorded_runs import listed_runs

    return [_inside(folders, name) for name in listed_runs(pack, folders.settings(pack))]


def _inside(folders: Folders, name: str) -> str:
    place = folders.place(name)
    if not (place.is_file() or place.is_dir()):
        raise Trouble(f"There is no file {name!r}.", hint="Name a recorded run, or its folder.")
    return name


def _require_state(id: str, ids: Iterable[str]) -> None:
    known = list(ids)
    if id not in known:
        names = ", ".join(map(repr, known[:MOST]))
        raise Trouble(f"There is no state {id!r}.", hint=f"States: {names}")
