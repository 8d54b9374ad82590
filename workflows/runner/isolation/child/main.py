"""Entry of a supervisor: open files of the spec and of the reports are its arguments."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from workflows.runner.isolation.child import namespaces, supervisor, system
from workflows.runner.isolation.child.spec import Spec, read_spec, write_report


def main(arguments: list[str]) -> int:
    """Isolate and supervise the command. Returns the exit code of this process."""
    spec_file, server = map(int, arguments)
    os.set_inheritable(server, False)
    spec = read_spec(spec_file)
    try:
        if spec.mechanism != "namespaces":  # They need it, to write their maps of users.
            system.prctl(system.PR_SET_DUMPABLE, 0)
        if spec.mechanism == "namespaces":
            return _in_namespaces(spec, server)
        return supervisor.supervise(spec, server)
    except OSError as error:
        with suppress(OSError):
            write_report(server, {"error": f"its isolation failed ({error.strerror or error})"})
        return 127


def _in_namespaces(spec: Spec, server: int) -> int:
    namespaces.enter()
    first = os.fork()
    if first:
        os.close(server)
        return os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])
    code = 127
    try:
        system.die_with_parent()
        namespaces.build_view(spec)
        os.chdir("/")
        system.drop_rights()  # Otherwise a command that took over this process could undo the view.
        system.prctl(system.PR_SET_DUMPABLE, 0)
        code = supervisor.supervise(spec, server)
    except OSError as error:
        with suppress(OSError):
            write_report(server, {"error": f"its isolation failed ({error.strerror or error})"})
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
