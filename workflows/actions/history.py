"""Undo, redo and restore. Each adds a revision; the history only grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from roles.rows import found
from workflows.actions import save_revision
from workflows.actions.rebase import carried
from workflows.actions.save_revision import Step
from workflows.core.pack.files import Files
from workflows.core.text import spans
from workflows.errors import BuiltOn, NothingToUndo, NotThere
from workflows.models import Pack, Revision
from workflows.opened_packs.bodies import NOWHERE
from workflows.selectors.changes import Change, change
from workflows.selectors.history import stacks
from workflows.selectors.layout import Layout, layout_at, layout_now
from workflows.selectors.revision_files import files_at, spans_of
from workflows.selectors.sources import SHELF, opened, read


def undo(pack_id: int, base: int, author: User | None) -> Change:
    """Undo this author's newest change that is still in effect.

    Raises NothingToUndo, BuiltOn (another person changed the same bytes since) and NotThere.
    """

    def attempt(pack: Pack) -> Change:
        mine = stacks(pack.pk, author)
        if not mine.undo:
            raise NothingToUndo(hint="Only your own changes are undone; see Revisions for others'.")
        return _take_back(pack, mine.step, Revision.Kind.UNDO, base, author)

    return save_revision.retried(pack_id, attempt)


def redo(pack_id: int, base: int, author: User | None) -> Change:
    """Redo the change that this author's last undo removed. Raises as `undo`."""

    def attempt(pack: Pack) -> Change:
        mine = stacks(pack.pk, author).redo
        if not mine:
            raise NothingToUndo("You have no undone change to redo.")
        return _take_back(pack, mine[-1:], Revision.Kind.REDO, base, author)

    return save_revision.retried(pack_id, attempt)


def restore(pack_id: int, number: int, author: User | None) -> Change:
    """Restore files and layout of revision `number`. Raises NotThere."""

    def attempt(pack: Pack) -> Change:
        files = files_at(pack.pk, number)
        head = opened(pack)
        after = read(pack.pk, head.dialect, files)
        then, now = layout_at(pack.pk, number), layout_now(pack.pk)
        layout = {
            key: then.get(key, NOWHERE) for key in {*then, *now} if then.get(key) != now.get(key)
        }
        base = pack.head
        if files == head.files and not layout:
            return change(pack, base, author)
        step = Step(
            kind=Revision.Kind.RESTORE,
            author=author,
            summary=f"Restore revision {number}",
            head=head,
            after=after,
            layout=layout,
        )
        save_revision.save(pack, step)
        return change(pack, base, author, newest=after)

    return save_revision.retried(pack_id, attempt)


def _take_back(
    pack: Pack, step_numbers: Sequence[int], kind: Revision.Kind, base: int, author: User | None
) -> Change:
    """Revert consecutive revisions, newest first, as one."""
    number = step_numbers[0]
    revision = found(
        Revision.objects.filter(pack=pack, number=number),
        NotThere(f"There is no revision {number} of this pack."),
    )
    head = opened(pack)
    after = read(
        pack.pk, head.dialect, _Inverse(pack, revision, head.files, step_numbers[-1]).files()
    )
    word = "Undo" if kind == Revision.Kind.UNDO else "Redo"
    step = Step(
        kind=kind,
        author=author,
        summary=f"{word}: {revision.summary.removeprefix('Undo: ').removeprefix('Redo: ')}",
        head=head,
        after=after,
        layout=_layouts_back(pack, step_numbers),
        undoes=number,
    )
    save_revision.save(pack, step)
    return change(pack, min(max(base, 1), pack.head), author, newest=after)


@dataclass(frozen=True, slots=True)
class _Inverse:
    """The inverse of the changes from revision `first` to `revision`, rebased over everything saved
    since."""

    pack: Pack
    revision: Revision
    head: Files
    first: int

    def files(self) -> Files:
        """The head's files without this revision's changes. Raises BuiltOn with the author and the
        place."""
        number = self.revision.number
        before, after = self._at(self.first - 1), self._at(number)
        if self.first < number:
            return self._whole(before, after)
        changes: dict[str, bytes | None] = {}
        for path, stored in self.revision.changes.items():
            if isinstance(stored, list):
                changes[path] = self._spans(path, before[path], after[path], spans_of(stored))
            elif self.head.get(path) != after.get(path):
                raise self._built_on(path)
            else:
                changes[path] = before.get(path)
        return self.head.changed(changes)

    def _whole(self, before: Files, after: Files) -> Files:
        """The files without the changes of several revisions."""
        changes: dict[str, bytes | None] = {}
        for path in before.difference(after):
            if path in before and path in after:
                change = spans.difference(before[path], after[path])
                changes[path] = self._spans(path, before[path], after[path], change)
            elif self.head.get(path) != after.get(path):
                raise self._built_on(path)
            else:
                changes[path] = before.get(path)
        return self.head.changed(changes)

    def _at(self, number: int) -> Files:
        kept = SHELF.get(self.pack.pk, number)
        return kept.files if kept else files_at(self.pack.pk, number)

    def _spans(
        self, path: str, before: bytes, after: bytes, change: tuple[spans.Change, ...]
    ) -> bytes:
        now = self.head.get(path)
        if now == after:
            return before
        if now is None:
            raise self._built_on(path)
        back = spans.inverse(before, change)
        moved = carried(after, back, spans.difference(after, now))
        if moved is None:
            moved = self._step_by_step(path, after, back)
        if moved is None:
            raise self._built_on(path)
        return spans.apply(now, moved)

    def _step_by_step(
        self, path: str, text: bytes, back: tuple[spans.Change, ...]
    ) -> tuple[spans.Change, ...] | None:
        """Rebase revision by revision: exact, for files whose shortest difference is misleading."""
        moved: tuple[spans.Change, ...] | None = back
        for later in self._later():
            over = later.changes.get(path)
            if isinstance(over, list) and moved is not None:
                moved = carried(text, moved, spans_of(over))
                text = spans.apply(text, spans_of(over))
            elif over is not None:
                return None
        return moved

    def _later(self) -> list[Revision]:
        return list(
            Revision.objects.filter(pack=self.pack, number__gt=self.revision.number)
            .select_related("author")
            .order_by("number")
        )

    def _built_on(self, path: str) -> BuiltOn:
        by = next((later for later in reversed(self._later()) if path in later.changes), None)
        who = by.author.get_username() if by and by.author else "Someone"
        which = f"revision {by.number} ({by.summary})" if by else "a later revision"
        return BuiltOn(
            f"{who} changed the same place of {path} in {which}, so "
            f"“{self.revision.summary}” cannot be undone alone.",
            hint="Change it back by hand, or restore an earlier revision.",
            where=path,
            revision=by.number if by else None,
        )


def _layouts_back(pack: Pack, numbers: Sequence[int]) -> Layout:
    """The layout before these revisions, newest first."""
    back: Layout = {}
    revisions = Revision.objects.filter(pack=pack, number__in=list(numbers)).order_by("-number")
    for revision in revisions:
        back.update(_layout_back(pack, revision.layout))
    return back


def _layout_back(pack: Pack, change: Mapping[str, Any]) -> Layout:
    """Restore the previous positions of states that no other person has moved since."""
    before, after = change.get("before", {}), change.get("after", {})
    now = layout_now(pack.pk, {*before, *after})
    back = {
        key: before.get(key, NOWHERE)
        for key, place in after.items()
        if now.get(key, NOWHERE) == {**NOWHERE, **place}
    }
    return back | {key: place for key, place in before.items() if key not in after}
