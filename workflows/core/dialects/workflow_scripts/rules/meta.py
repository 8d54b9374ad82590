"""Rules of the file and of its meta."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    line,
    parts,
    short,
    text,
    walk,
)
from workflows.core.dialects.workflow_scripts.format.vocabulary import META
from workflows.core.dialects.workflow_scripts.program.engine import syntax_problem
from workflows.core.dialects.workflow_scripts.recognise import in_folder, name_of
from workflows.core.dialects.workflow_scripts.rules.kit import Report, script_rule
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.edits import SetField
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import make_fix
from workflows.core.text.tolerant import as_object

TYPESCRIPT = re.compile(r"^(interface|type|enum|declare)\b|^[\w$]+\??\s{0,20}:\s{0,20}[A-Z\w]|^as ")
BRACKETS = {"(": ")", "[": "]", "{": "}", "${": "}"}
COMMAND = re.compile(r"[a-z][a-z0-9-]{0,40}\Z")


@script_rule("WS101", "error", "Script does not parse", profiles=EVERY)
def parses(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The text is not JavaScript that a runtime can start. The launch still answers
    `async_launched`, and nothing runs. TypeScript is a syntax error for every runtime. Fix the line
    in the text view; what can be read is drawn nevertheless."""
    for node in source.nodes if source.root.has_error else ():
        if node.type == "ERROR" or node.is_missing:
            typed = bool(TYPESCRIPT.search(text(node)))
            what = "TypeScript" if typed else "a syntax error"
            yield Report(
                message=f"Line {line(node)} has {what}: {short(node, 30) or 'missing text'}",
                node=node,
                hint="Remove the type."
                if typed
                else _open_bracket(node) or "Fix the line in the text view.",
            )
            return
    problem = syntax_problem(source.data, source.meta)
    if problem is not None:
        where, message = problem
        near = next((one for one in source.nodes if one.start_point[0] >= where - 1), None)
        lines = source.data.decode("utf-8", "replace").splitlines()[where - 1 : where]
        curly = any(quote in line for line in lines for quote in "‘’“”")
        yield Report(
            message=f"Line {where} is no JavaScript: {message}",
            node=near,
            hint="Use straight quotes." if curly else "Fix the line in the text view.",
        )


def _open_bracket(node: Node) -> str:
    """The next step for a bracket in this part that is never closed; "" if there is none."""
    opened: list[Node] = []
    for one in walk(node):
        if one.type in BRACKETS:
            opened.append(one)
        elif opened and one.type == BRACKETS[opened[-1].type]:
            opened.pop()
    if not opened:
        return ""
    last = opened[-1]
    return f"Close the {last.type!r} of line {line(last)} with {BRACKETS[last.type]!r}."


@script_rule("WS102", "error", "meta is not the first statement", profiles=EVERY)
def meta_first(source: ScriptSource, profile: str) -> Iterator[Report]:
    """A script begins with `export const meta = {…}`. Otherwise it is not registered as a command,
    and refused if it is started directly. Move it to the top: it is a literal and needs nothing."""
    if source.meta.statement is None:
        yield Report(
            message="The script has no meta.",
            node=source.root,
            hint="Start it with export const meta = { name: …, description: … }.",
        )
    elif not source.meta.first:
        yield Report(
            message="meta is not the first statement, so the script is not registered.",
            node=source.meta.statement,
            hint="Move it to the top.",
        )


@script_rule("WS103", "error", "meta is computed", profiles=EVERY)
def meta_literal(source: ScriptSource, profile: str) -> Iterator[Report]:
    """meta is read without running the script, so each value must be a literal: no variables,
    calls, spreads or joined texts. Write the value itself."""
    for node in source.meta.computed:
        yield Report(
            message=f"meta has a value that is computed: {short(node)}",
            node=node,
            hint="Write the value itself.",
        )


@script_rule("WS104", "error", "Name or description is missing", profiles=EVERY)
def meta_required(source: ScriptSource, profile: str) -> Iterator[Report]:
    """A script needs a name, which becomes its command, and a description, which the dialog before
    a run shows. Without one of them it is not registered."""
    if source.meta.object is None:
        return
    computed = {line(node) for node in source.meta.computed}
    for key in ("name", "description"):
        value = source.meta.value.get(key)
        node = source.meta.nodes.get((key,), source.meta.object)
        if (isinstance(value, str) and value) or line(node) in computed:
            continue
        text_value = name_of(source.main) if key == "name" else "Describe this workflow."
        fix = make_fix(
            f"Set the {key}", SetField(element="pack", field=f"/{key}", value=text_value)
        )
        yield Report(
            message=f"meta has no {key}.",
            node=node,
            fix=None if key in source.meta.value and not isinstance(value, str) else fix,
        )


@script_rule("WS105", "error", "Phases have a wrong shape", profiles=EVERY)
def meta_phases(source: ScriptSource, profile: str) -> Iterator[Report]:
    """`phases` is a list of `{ title, detail?, model? }`, all texts. qwen refuses another shape,
    and other runtimes ignore it."""
    listed = source.meta.value.get("phases")
    node = source.meta.nodes.get(("phases",))
    if node is None or node in source.meta.computed:
        return
    level = None if profile == "qwen" else "warning"
    if not isinstance(listed, list):
        yield Report(message="phases is not a list.", node=node, level=level)  # type: ignore[arg-type]
        return
    for index, one in enumerate(listed):
        where = source.meta.nodes.get(("phases", index), node)
        if where in source.meta.computed:
            continue
        title = as_object(one).get("title")
        texts = isinstance(one, dict) and all(isinstance(each, str) for each in one.values())
        if not isinstance(title, str) or not title or not texts:
            yield Report(
                message=f"Phase {index + 1} is no object with a title and texts.",
                node=where,
                hint="Write { title: 'Review' }.",
                level=level,  # type: ignore[arg-type]
            )
            return


@script_rule("WS106", "hint", "Unknown field of meta", profiles=("claude-code", "qwen"))
def meta_known(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The runtime ignores fields of meta that it does not know."""
    for key in source.meta.value:
        if key not in META:
            yield Report(
                message=f"meta has a field that {profile} ignores: {key!r}.",
                node=source.meta.nodes.get((key,)),
            )


@script_rule("WS107", "error", "Import or export", profiles=EVERY)
def no_modules(source: ScriptSource, profile: str) -> Iterator[Report]:
    """A script is the body of a function: it imports nothing and exports only meta. A run fails
    before it starts. Give the work to an agent, or take the value from `args`."""
    for one in parts(source.root):
        if one.type == "import_statement" or (
            one.type == "export_statement" and one != source.meta.statement
        ):
            word = "imports" if one.type == "import_statement" else "exports"
            yield Report(
                message=f"The script {word}: {short(one)}",
                node=one,
                hint="Give the work to an agent.",
            )
    for node in source.nodes:
        parent = node.parent if node.type == "import" else None
        if parent is not None and parent.type == "call_expression":
            yield Report(message="The script calls import().", node=node)


@script_rule("WS108", "warning", "Name cannot be a command", profiles=EVERY)
def command_name(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The name becomes the command `/name`. A colon collides with names of plug-ins, and qwen
    allows only small letters, digits and hyphens. If the file has another name, people look for the
    command in the wrong file."""
    name = source.meta.name
    node = source.meta.nodes.get(("name",))
    if not name or node is None:
        return
    if ":" in name or (profile == "qwen" and not COMMAND.match(name)):
        yield Report(
            message=f"{name!r} cannot be a command.", node=node, hint="Use a-z, 0-9 and -."
        )
    elif in_folder(source.main) and name_of(source.main) != name:
        yield Report(
            message=f"The command is /{name}, but the file is called {name_of(source.main)!r}.",
            node=node,
            level="hint",
        )


@script_rule("WS109", "warning", "Two workflows with one name", profiles=EVERY)
def own_name(source: ScriptSource, profile: str) -> Iterator[Report]:
    """Another script of the folder has this name, so only one of them can be started by it. A
    script in a folder of workflows further down hides this one there, which is a hint."""
    main = source.scripts.get(source.main)
    for one in source.scripts.values():
        if main is None or one.name != main.name or one.path == main.path or not main.name:
            continue
        same = one.folder == main.folder
        yield Report(
            message=f"{one.path} is called {one.name!r} too."
            if same
            else f"Below {one.base}/, {one.name!r} is {one.path}.",
            node=source.meta.nodes.get(("name",)),
            hint="Rename one of them.",
            level=None if same else "hint",
        )


@script_rule("WS111", "warning", "args are not described", profiles=EVERY)
def described_args(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The script reads `args` without a default, but its description and `whenToUse` do not mention
    them. The model then starts it without them. Describe them in `whenToUse`."""
    described = source.meta.description + str(source.meta.value.get("whenToUse") or "")
    if "args" in described or source.meta.object is None:
        return
    for node in source.nodes:
        if node.type != "member_expression":
            continue
        receiver = node.child_by_field_name("object")
        optional = any(child.type == "optional_chain" for child in node.children)
        if receiver is not None and text(receiver) == "args" and not optional:
            fields = sorted(
                {
                    text(one.child_by_field_name("property") or one)
                    for one in source.nodes
                    if one.type == "member_expression"
                    and (target := one.child_by_field_name("object")) is not None
                    and text(target) == "args"
                }
            )
            value = f"args: {{ {', '.join(fields)} }}"
            yield Report(
                message=f"The script needs {short(node)}, but no description mentions args.",
                node=node,
                fix=make_fix(
                    "Describe args", SetField(element="pack", field="/whenToUse", value=value)
                ),
            )
            return


@script_rule("WS114", "warning", "No agent is called", profiles=EVERY)
def calls_something(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The script calls neither `agent` nor `workflow`, so a run does nothing."""
    if not source.plan.states and not source.root.has_error:
        yield Report(
            message="The script calls no agent and no workflow.",
            node=source.meta.statement or source.root,
        )
