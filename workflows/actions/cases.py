"""Cases of a pack: kept from runs, renamed and deleted. Each is a revision, as any edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from posixpath import basename, dirname

from django.contrib.auth.models import User

from workflows.actions import save_revision
from workflows.actions.save_revision import Step
from workflows.core.cases.case_file import BadCase, new_case, renamed, with_answers
from workflows.core.cases.case_paths import case_paths, path_of
from workflows.core.pack.files import BadFiles, Files
from workflows.db.text import to_storable
from workflows.errors import BadRequest, NotThere, Refused
from workflows.models import Pack, Revision, Run
from workflows.opened_packs.view import Opened
from workflows.selectors.runs import log
from workflows.selectors.sources import opened

Changed = tuple[str, Mapping[str, bytes | None]]
"""The path of the case, and the changed files of its pack."""


def keep(pack_id: int, run: Run, name: str, author: User) -> str:
    """Keep an ended run of the pack as a case with this name; returns its path. A scenario of this
    name that has no answers gets those of the run. Raises Refused."""
    if run.pack_id != pack_id:
        raise BadRequest("This run is not of this pack.", where="run")
    events, name = log(run), _checked(name)

    def kept(files: Files, main: str) -> Changed:
        path = _place(files, main, name)
        there = files.get(path)
        data = with_answers(there, events) if there is not None else new_case(name, events)
        return path, {path: data}

    return _changed(pack_id, f"Kept the case {name}", author, kept)


def rename(pack_id: int, path: str, name: str, author: User) -> str:
    """Rename a case; returns its new path. Raises Refused and NotThere."""

    name = _checked(name)

    def moved(files: Files, main: str) -> Changed:
        new = f"{dirname(path)}/{basename(path_of(main, name))}"
        if new != path and new in files:
            raise BadCase("There is a case of this name. Choose another name.")
        return new, {path: None, new: renamed(_required(files, path), name)}

    return _changed(pack_id, f"Renamed a case to {name}", author, moved)


def delete(pack_id: int, path: str, author: User) -> None:
    """Delete a case. Undo restores it. Raises NotThere."""

    def without(files: Files, main: str) -> Changed:
        _required(files, path)
        return path, {path: None}

    _changed(pack_id, f"Deleted the case {basename(path)}", author, without)


def _changed(
    pack_id: int, summary: str, author: User, change: Callable[[Files, str], Changed]
) -> str:
    def save(pack: Pack) -> str:
        head = opened(pack)
        try:
            path, changes = change(head.files, head.drawn.main)
            after = Opened(head.dialect, head.files.changed(changes))
        except (BadCase, BadFiles) as bad:
            raise Refused(str(bad), where="name") from None
        step = Step(
            kind=Revision.Kind.EDIT, author=author, summary=summary[:300], head=head, after=after
        )
        save_revision.save(pack, step)
        return path

    return save_revision.retried(pack_id, save)


def _place(files: Files, main: str, name: str) -> str:
    """The path of a case of this name: that of an existing scenario, else a new one."""
    path = path_of(main, name)
    return next((one for one in case_paths(files) if basename(one) == basename(path)), path)


def _checked(name: str) -> str:
    plain = to_storable(" ".join(name.split()))
    if not plain:
        raise BadRequest("A case needs a name.", where="name")
    return plain[:200]


def _required(files: Files, path: str) -> bytes:
    if path not in case_paths(files):
        raise NotThere(f"This pack has no case {path!r}.", where="case")
    return files[path]
