"""A process of an ordinary user that saves a run with a repository in a folder of mode 0311.

Started by `test_git_escapes.py` as root, which becomes that user. Its argument is a new folder.
There is no isolation here, so that nothing but git's arguments protects the user.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

NOBODY = 65534


def main(home: Path) -> None:
    from tests.support.git_repository import ENVIRONMENT, git, make_repository
    from workflows.runner import workspaces
    from workflows.runner.isolation import levels
    from workflows.runner.workspaces import RunPlace, WorkspaceChoice, open_workspace

    levels.is_available = lambda level: False  # type: ignore[assignment]
    os.chown(home, NOBODY, NOBODY)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    os.environ |= {"HOME": str(home)}
    os.environ |= {"SIGNALBOX_DATA": str(home / "data")}
    named = {
        f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    ENVIRONMENT.update(named)
    project = make_repository(home / "project", {"a.txt": "one\n"})
    nested = make_repository(project / "nested", {"x": "x\n"})
    git(project, "add", "nested")
    git(project, "commit", "--quiet", "-m", "nested")
    choice = WorkspaceChoice(
        kind="git", path=f"{project}/.git", ref="HEAD", base=git(project, "rev-parse", "HEAD")
    )
    place = RunPlace(root=home / "runs", name="run-1", choice=choice)
    tree = open_workspace(place).folder
    (tree / "nested").rmdir()
    nested.rename(tree / "nested")
    git(tree / "nested", "config", "filter.e.clean", f"touch {home}/mark; cat")
    (tree / "nested/.gitattributes").write_text("* filter=e\n")
    (tree / "nested/x").write_text("y\n")
    (tree / "a.txt").write_text("changed\n")
    (tree / "nested").chmod(0o311)
    print("saved", workspaces.changes_of(place, message="Work").files)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
