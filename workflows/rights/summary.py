"""The table of rights for readers: each relation to an object, and its rights. The page and
docs/security.md show it; a test compares them."""

from __future__ import annotations

from dataclasses import dataclass

COLUMNS = ("Owner", "Editor", "Reader", "Other user", "Staff", "Not signed in")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line. `cells` is in the order of COLUMNS, each yes or no."""

    what: str
    cells: tuple[bool, ...]


READ = (True, True, True, False, True, False)
EDIT = (True, True, False, False, True, False)
OWN = (True, False, False, False, True, False)
ALL = (True, True, True, True, True, False)
STAFF = (False, False, False, False, True, False)


def summary() -> tuple[Line, ...]:
    """The lines of the table."""
    return tuple(
        Line(what=what, cells=cells)
        for what, cells in (
            ("Read a pack: graph, files, history, findings, exports", READ),
            ("Rehearse, copy, convert or run a pack; watch its runs and read their logs", READ),
            ("Edit a pack: edits, undo, tools, models, roles at states, exports to git", EDIT),
            ("Create triggers of a pack", EDIT),
            ("Share, hand over or delete a pack", OWN),
            ("Control a run: answer, pause, cancel, keep its branch (also who started it)", EDIT),
            ("Read a role, its revisions and its memory; use it at a state", READ),
            ("Edit a role and its memory", EDIT),
            ("Share, hand over or delete a role", OWN),
            ("Use and test a connection; see it without its key", READ),
            ("Change a connection or its key", EDIT),
            ("Share, hand over or delete a connection", OWN),
            ("See a trigger and its firings (also the owner of the pack)", READ),
            ("Change or try a trigger, or replace its secret", EDIT),
            ("Share or delete a trigger", OWN),
            ("Use a template of this server", READ),
            ("Change a template", EDIT),
            ("Share, hand over or delete a template", OWN),
            ("Read a shared fact (also readers of the project's pack)", READ),
            ("Change or delete a shared fact (also editors of the project's pack)", EDIT),
            ("See a repository without its credential; fetch and scan it, follow its packs", READ),
            ("Propose changes of a pack that the user may edit", READ),
            ("Change a repository, its credential or the secret of its webhook", EDIT),
            ("Share, hand over or delete a repository", OWN),
            ("Use a connected MCP server", ALL),
            ("Change or refresh an MCP server", EDIT),
            ("Delete an MCP server", OWN),
            (
                "Create packs, roles, connections, repositories, templates, facts and modes of"
                " one's own",
                ALL,
            ),
            ("Manage people and groups; read the audit log", STAFF),
        )
    )
