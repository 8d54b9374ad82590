"""The commit that a pack's changes are based on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from workflows.core.pack.files import Files
from workflows.errors import RepositoryRefused
from workflows.repos.git import GitFailed
from workflows.repos.repository import Repository
from workflows.repos.scratch import Scratch, blob_id
from workflows.selectors.sync_points import KnownCommit

LONGEST_SEARCH = 2_000
"""Number of commits that a search looks at."""

Source = Literal["import", "export", "given", "found", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseCommit:
    """A commit and the pack's files there.

    `commit` None: no commit is known. `paths`: the files the pack had; None: all of its files now
    and before. `committed`: path → sha256 of bytes that are the commit's for certain.
    """

    commit: str | None
    source: Source
    paths: frozenset[str] | None = None
    committed: Mapping[str, str] = field(default_factory=dict)


def given_base(repository: Repository, name: str) -> BaseCommit:
    """The base that the request names. Raises RepositoryRefused if there is no such commit."""
    commit = repository.commit_named(name)
    if commit is None:
        hint = "Enter the id of a commit, a branch or a tag of this repository."
        if repository.shallow:
            hint += " The clone is shallow: `git fetch --unshallow` fetches older commits."
        raise RepositoryRefused(
            f"There is no commit {name!r} in this repository.", hint=hint, where="base"
        )
    return BaseCommit(commit=commit, source="given")


def recorded_base(
    repository: Repository, known: Sequence[KnownCommit], folder: str, tip: str | None
) -> BaseCommit | None:
    """The newest recorded commit that the target branch contains, or any branch if it is new.

    Raises RepositoryRefused if commits are recorded here but none of them will do.
    """
    here = [one for one in known if one.folder == folder and repository.has_commit(one.commit)]
    for one in here:
        if _is_whole(repository, one.commit) and (
            repository.contains(tip, one.commit) if tip else repository.is_referenced(one.commit)
        ):
            source: Source = "import" if one.kind == "import" else "export"
            prefix = f"{folder}/" if folder else ""
            return BaseCommit(
                commit=one.commit,
                source=source,
                paths=frozenset(prefix + path for path in one.paths),
                committed={prefix + path: hash for path, hash in one.committed.items()},
            )
    if not here and not (repository.shallow and any(one.folder == folder for one in known)):
        return None
    recorded = (here or [one for one in known if one.folder == folder])[0]
    if tip is None and not repository.shallow:
        return None
    hint = "Export to a new branch and merge it with git, or name a commit of it as `base`."
    if repository.shallow:
        hint = f"The clone is shallow: run `git fetch --unshallow` in it. Or: {hint}"
    raise RepositoryRefused(
        f"The history here does not contain {recorded.commit[:12]}, the commit that this pack is"
        " based on.",
        hint=hint,
        where="base",
    )


def joint_base(
    repository: Repository, known: Sequence[Sequence[KnownCommit]], folder: str, tip: str | None
) -> BaseCommit | None:
    """The recorded base of packs that are committed together: the newest of their bases, where it
    has the same files of the others. Raises RepositoryRefused if there is none."""
    bases = [recorded_base(repository, one, folder, tip) for one in known]
    if len(bases) == 1:
        return bases[0]
    recorded = [(base.commit, base) for base in bases if base is not None and base.commit]
    newest = repository.newest([commit for commit, _ in recorded])
    if (
        newest is None
        or len(recorded) < len(bases)
        or not all(
            repository.same_files(commit, newest, base.paths or ()) for commit, base in recorded
        )
    ):
        raise RepositoryRefused(
            "These packs are based on different commits of the branch.",
            hint="Propose them one after the other.",
            where="others",
        )
    return BaseCommit(
        commit=newest,
        source=next(base.source for commit, base in recorded if commit == newest),
        paths=frozenset().union(*(base.paths or () for _, base in recorded)),
        committed={path: hash for _, base in recorded for path, hash in base.committed.items()},
    )


def found_base(
    repository: Repository,
    area: Scratch,
    start: str | None,
    placed: Files,
    cleaned: Mapping[str, str],
) -> BaseCommit | None:
    """The newest commit before `start` that has exactly these files, those of the import.

    `cleaned`: path → blob after the repository's attributes.
    """
    if start is None or not placed:
        return None
    wanted = {
        path: {blob_id(data, repository.hash_length), cleaned.get(path, "")}
        for path, data in placed.items()
    }
    for commit in [start, *_commits_of(repository, start, list(placed))]:
        if _has(area, commit, wanted):
            return BaseCommit(commit=commit, source="found", paths=frozenset(placed))
    return None


def _commits_of(repository: Repository, start: str, paths: Sequence[str]) -> Sequence[str]:
    """Commits before `start` that changed one of the paths, newest first."""
    stdin = "\n".join([start, "--", *paths]) + "\n"
    try:
        listed = repository.git.text(
            "rev-list", f"--max-count={LONGEST_SEARCH}", "--stdin", stdin=stdin.encode()
        )
    except GitFailed:  # A partial clone may lack the trees of older commits.
        return ()
    return listed.split()


def _has(area: Scratch, commit: str, wanted: Mapping[str, set[str]]) -> bool:
    stdin = "".join(f"{commit}:{path}\n" for path in wanted)
    found = area.git.attempt("cat-file", "--batch-check=%(objectname)", stdin=stdin.encode())
    ids = found.stdout.decode(errors="replace").splitlines()
    if found.returncode or len(ids) != len(wanted):
        return False
    return all(id in wanted[path] for path, id in zip(wanted, ids, strict=True))


def _is_whole(repository: Repository, commit: str) -> bool:
    """True if the clone has the commit's ancestors, up to those that it is meant to lack."""
    if not repository.shallow:
        return True
    return repository.git.attempt("rev-list", "--quiet", commit).returncode == 0
