"""The command line that starts a supervisor in a level of isolation."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from workflows.installation import ROOT
from workflows.runner.isolation.child.spec import Limits, Mechanism, Spec
from workflows.runner.isolation.view import View
from workflows.security.file_modes import mask_of_others

if TYPE_CHECKING:
    from workflows.runner.isolation.levels import Level

PATH = "/usr/local/bin:/usr/bin:/bin"
_ENTRY = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from workflows.runner.isolation.child.main import main; sys.exit(main(sys.argv[1:]))"
)


MECHANISMS: dict[Level, Mechanism] = {
    "bubblewrap": "plain",
    "namespaces": "namespaces",
    "landlock": "landlock",
    "none": "plain",
}
"""The part of each level that the supervisor sets up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The arguments of a new process. `reports` is our end of the supervisor's pipe: closing it
    ends the command. Close the others when the process has started."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    pass_fds: tuple[int, ...]
    reports: int

    def close_passed(self) -> None:
        for handle in self.pass_fds:
            with suppress(OSError):
                os.close(handle)

    def __enter__(self) -> Start:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close_passed()
        with suppress(OSError):
            os.close(self.reports)


def prepare(
    command: Sequence[str],
    *,
    level: Level,
    folder: Path,
    environment: Mapping[str, str],
    view: View,
    limits: Limits,
) -> Start:
    """The start of a command. Its environment is passed in a file: the supervisor must not be
    loaded with it, and arguments are public."""
    spec = Spec(
        command=tuple(command),
        environment=dict(environment),
        folder=os.path.realpath(folder),
        mechanism=MECHANISMS[level],
        alone=level in ("bubblewrap", "namespaces"),
        drop_rights=level != "none",
        hidden=view.hidden,
        scratch=view.scratch,
        readable=view.readable,
        writable=view.writable,
        limits=limits,
        mask=mask_of_others(),
    )
    spec_file = os.memfd_create("spec")
    os.write(spec_file, spec.to_json())
    os.lseek(spec_file, 0, os.SEEK_SET)
    reports, server = os.pipe()
    supervisor = (
        *(os.path.realpath(sys.executable), "-I", "-S", "-c", _ENTRY, str(ROOT)),
        *(str(spec_file), str(server)),
    )
    wrapped = _bubblewrap(view) if level == "bubblewrap" else ()
    return Start(
        command=(*wrapped, *supervisor),
        environment={"PATH": PATH, "LANG": "C.UTF-8"},
        pass_fds=(spec_file, server),
        reports=reports,
    )


def _bubblewrap(view: View) -> tuple[str, ...]:
    """The program `bwrap` with the view as its arguments, parents before children."""
    layers: list[tuple[str, int, tuple[str, ...]]] = []
    for path in view.hidden:
        cover = ("--tmpfs", path) if Path(path).is_dir() else ("--ro-bind", "/dev/null", path)
        layers.append((path, 0, cover))
    layers += [(path, 1, ("--perms", "1777", "--tmpfs", path)) for path in view.scratch]
    layers += [(path, 2, ("--ro-bind", path, path)) for path in view.readable]
    layers += [(path, 3, ("--bind", path, path)) for path in view.writable]
    layers.sort(key=lambda one: (one[0].count("/"), one[0], one[1]))
    return (
        "bwrap",
        *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--die-with-parent"),
        *("--as-pid-1", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--proc", "/proc"),
        *("--dev", "/dev"),
        *(word for _, _, words in layers for word in words),
        "--",
    )
