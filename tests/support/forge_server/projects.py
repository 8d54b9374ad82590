"""Projects of the forge: bare repositories with pull requests that are merged by git."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from tests.support.git_program import GitRepository, init

Kind: TypeAlias = Literal["github", "gitlab", "gitea"]
Way: TypeAlias = Literal["merge", "squash", "rebase"]
NOTHING = "0" * 40


class MergeConflict(Exception):
    """The branches cannot be merged."""


@dataclass(kw_only=True)
class Pull:
    """A pull request. `sha` is the newest commit of its branch while it was open."""

    number: int
    head: str
    base: str
    title: str
    body: str
    user: str
    sha: str
    state: Literal["open", "closed", "merged"] = "open"
    merge_commit: str = ""
    way: Way = "merge"


@dataclass(frozen=True, kw_only=True)
class Push:
    """A branch that was changed. `forced`: its old commit is not part of it any more."""

    branch: str
    before: str
    after: str
    user: str
    forced: bool


@dataclass(kw_only=True)
class Project:
    """A project of one kind of forge."""

    id: int
    kind: Kind
    name: str
    """Owner and name, such as `team/packs`."""
    web: str
    """Address of its page."""
    repository: GitRepository
    fire: Callable[[Project, str, Push | Pull], None]
    pulls: list[Pull] = field(default_factory=list)
    pushes: list[Push] = field(default_factory=list)
    hooks: dict[str, str] = field(default_factory=dict)
    """Address of a webhook → its secret."""
    default_branch: str = "main"
    public: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def url(self) -> str:
        """The address for git."""
        return f"{self.web}.git"

    @property
    def branches(self) -> dict[str, str]:
        """Branch → its commit."""
        listed = self.repository.git(
            "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads"
        )
        pairs = (line.split(" ") for line in listed.splitlines())
        return {name.removeprefix("refs/heads/"): commit for name, commit in pairs}

    def show(self, branch: str, path: str) -> bytes:
        return self.repository.show(branch, path)

    def hook(self, url: str, secret: str) -> None:
        """Add a webhook for pushes and pull requests."""
        self.hooks[url] = secret

    def commit(
        self,
        files: Mapping[str, bytes | None],
        message: str = "Change files",
        *,
        branch: str = "main",
        start: str = "",
    ) -> str:
        """Commit on a branch as a colleague does; None deletes a file. A new branch begins at
        `start`, or at the default branch. Returns the commit."""
        text = f"{message}\n".encode()
        with self.lock:
            tips = self.branches
            parent = tips.get(branch) or tips.get(start or self.default_branch, "")
            stream = b"commit refs/heads/%s\nmark :1\ncommitter Grace <grace@example.org> now\n"
            stream = stream % branch.encode() + b"data %d\n%s" % (len(text), text)
            stream += b"from %s\n" % parent.encode() if parent else b""
            for path, data in files.items():
                if data is None:
                    stream += b"D %s\n" % path.encode()
                else:
                    stream += b"M 100644 inline %s\ndata %d\n%s\n" % (
                        path.encode(),
                        len(data),
                        data,
                    )
            made = self.repository.run(
                "fast-import", "--quiet", "--date-format=now", stdin=stream + b"get-mark :1\n"
            )
            commit_id = made.decode().strip()
            self._record(branch, tips.get(branch, NOTHING), commit_id, "grace")
        return commit_id

    def delete_branch(self, branch: str) -> None:
        with self.lock:
            self._move(branch, NOTHING, "grace")

    def pull(self, number: int) -> Pull:
        """The pull request with this number. Raises KeyError."""
        for pull in self.pulls:
            if pull.number == number:
                return pull
        raise KeyError(number)

    def open(self, *, head: str, base: str, title: str, body: str, user: str) -> Pull:
        """A new pull request."""
        with self.lock:
            pull = Pull(
                number=len(self.pulls) + 1,
                head=head,
                base=base,
                title=title,
                body=body,
                user=user,
                sha=self.branches[head],
            )
            self.pulls.append(pull)
            self._keep(pull)
        self.fire(self, "pull_request", pull)
        return pull

    def merge(self, number: int, way: Way = "merge", *, delete_branch: bool = False) -> str:
        """Merge a pull request as a colleague does. Returns the commit. Raises MergeConflict."""
        with self.lock:
            pull = self.pull(number)
            assert pull.state == "open", f"The pull request is {pull.state}."
            tips = self.branches
            base, head = tips[pull.base], tips[pull.head]
            if way == "rebase":
                commit_id = self._rebased(base, head)
            else:
                commit_id = self._merged(pull, base, head, way)
            pull.state, pull.merge_commit, pull.way = "merged", commit_id, way
            if way == "rebase" and self.kind == "gitlab":  # GitLab rebases the branch itself.
                self._move(pull.head, commit_id, "grace")
                pull.sha = commit_id
            self._move(pull.base, commit_id, "grace")
            if delete_branch:
                self._move(pull.head, NOTHING, "grace")
        self.fire(self, "pull_request", pull)
        return commit_id

    def close(self, number: int) -> None:
        """Close a pull request without a merge."""
        with self.lock:
            pull = self.pull(number)
            pull.state = "closed"
        self.fire(self, "pull_request", pull)

    def reopen(self, number: int) -> None:
        with self.lock:
            pull = self.pull(number)
            pull.state = "open"
        self.fire(self, "pull_request", pull)

    def moved(self, before: Mapping[str, str], user: str) -> None:
        """Record the branches that a push changed."""
        after = self.branches
        for branch in sorted({*before, *after}):
            old, new = before.get(branch, NOTHING), after.get(branch, NOTHING)
            if old != new:
                self._record(branch, old, new, user)

    def _move(self, branch: str, commit: str, user: str) -> None:
        before = self.branches.get(branch, NOTHING)
        if before == commit:
            return
        if commit == NOTHING:
            self.repository.git("update-ref", "-d", f"refs/heads/{branch}")
        else:
            self.repository.git("update-ref", f"refs/heads/{branch}", commit)
        self._record(branch, before, commit, user)

    def _record(self, branch: str, before: str, after: str, user: str) -> None:
        forced = NOTHING not in (before, after) and bool(
            self.repository.attempt("merge-base", "--is-ancestor", before, after)
        )
        push = Push(branch=branch, before=before, after=after, user=user, forced=forced)
        self.pushes.append(push)
        for pull in self.pulls:
            if pull.head == branch and pull.state == "open" and after != NOTHING:
                pull.sha = after
                self._keep(pull)
        self.fire(self, "push", push)

    def _keep(self, pull: Pull) -> None:
        folder = "merge-requests" if self.kind == "gitlab" else "pull"
        self.repository.git("update-ref", f"refs/{folder}/{pull.number}/head", pull.sha)

    def _merged(self, pull: Pull, base: str, head: str, way: Way) -> str:
        git = self.repository
        if git.attempt("merge-tree", "--write-tree", base, head):
            raise MergeConflict(pull.number)
        tree = git.git("merge-tree", "--write-tree", base, head)
        if way == "squash":
            title = f"{pull.title} (#{pull.number})"
            return git.git("commit-tree", tree, "-p", base, "-m", title)
        title = f"Merge pull request #{pull.number} from {pull.head}"
        return git.git("commit-tree", tree, "-p", base, "-p", head, "-m", title)

    def _rebased(self, base: str, head: str) -> str:
        """The commits of a branch on top of another. GitHub writes new commits in any case."""
        with tempfile.TemporaryDirectory() as folder:
            work = GitRepository(Path(folder, "work"))
            self.repository.git(
                "clone",
                "--quiet",
                "--no-checkout",
                self.repository.folder.as_uri(),
                folder + "/work",
            )
            work.git("checkout", "--quiet", "--detach", head)
            options = ["--force-rebase"] if self.kind == "github" else []
            if work.attempt("rebase", "--quiet", *options, base):
                raise MergeConflict(head)
            commit_id = work.git("rev-parse", "HEAD")
            work.git("push", "--quiet", "origin", f"{commit_id}:refs/rebased/{commit_id}")
        return commit_id


def bare_repository(folder: Path, default_branch: str = "main") -> GitRepository:
    """A bare repository that can be pushed to over HTTP."""
    repository = init(folder, "--bare")
    (folder / "HEAD").write_text(f"ref: refs/heads/{default_branch}\n")
    with (folder / "config").open("a") as config:
        config.write("[http]\n\treceivepack = true\n")
    return repository
