"""Commands of a hostile pack: what they read, what they leave behind, and what they use up.

Hidden places are tried in every level of isolation that this machine has, the ends and limits of
the supervisor of commands in one of them by `make test` and in all by `make test-all`.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.checks import crossed
from tests.support.git_repository import make_repository
from tests.support.processes import all_end, running
from workflows.repos import worktrees
from workflows.runner import sandbox
from workflows.runner.isolation import levels
from workflows.runner.isolation.levels import LEVELS, NoIsolation, level_in_force
from workflows.runner.sandbox import CommandFiles, CommandResult
from workflows.runner.workspaces import RunPlace, WorkspaceChoice, open_workspace

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(sys.platform != "linux", reason="isolation needs Linux"),
]
CANARY = f"canary-{secrets.token_hex(8)}"


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest, settings: Any) -> str:
    if not levels.is_available(request.param):
        pytest.skip(f"{request.param} is not available on this machine")
    settings.SIGNALBOX_ISOLATION = request.param
    settings.SIGNALBOX_COMMAND_PATHS = []
    return str(request.param)


@pytest.fixture
def data(settings: Any, tmp_path: Path) -> Path:
    """A data folder with a key, a database and the workspaces of two runs."""
    folder = tmp_path / "data"
    settings.DATA = folder
    for name in ("secret-key", "signalbox.sqlite3", "workspaces/theirs/notes", "workspaces/mine/a"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(CANARY)
    (folder / "workspaces/mine/a").write_text("mine")
    return folder


@pytest.fixture
def neighbour() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the same user with the canary in its environment, as the server is."""
    with subprocess.Popen(
        ["sleep", "600"], env={"SIGNALBOX_SECRET_KEY": CANARY, "PATH": os.environ["PATH"]}
    ) as process:
        yield process
        process.kill()


async def shell(script: str, folder: Path, *, timeout: float = 120, **more: Any) -> CommandResult:
    return await sandbox.run(("sh", "-c", script), folder=folder, timeout=timeout, **more)


def first_line(pipe: Path) -> bytes:
    """The bytes that a command wrote to a named pipe. Fails if it does not within two minutes."""
    handle = os.open(pipe, os.O_RDWR)
    try:
        assert select.select([handle], [], [], 120)[0], "the command did not begin"
        return os.read(handle, 100)
    finally:
        os.close(handle)


def children() -> set[str]:
    """The processes that this thread started."""
    return set(Path("/proc/thread-self/children").read_text().split())


# -- reading


READING = [
    "cat /proc/$PPID/environ /proc/1/environ /proc/[0-9]*/environ | tr '\\0' '\\n'",
    "cat /proc/{pid}/environ /proc/{pid}/task/*/environ | tr '\\0' '\\n'",
    "cat {data}/secret-key {data}/signalbox.sqlite3",
    "cat {data}/workspaces/theirs/notes ../theirs/notes ../../secret-key",
    "cat /proc/*/root{data}/secret-key /proc/*/cwd/../theirs/notes",
    "ln -s {data}/secret-key link; cat link; cp -r {data} copy; grep -r canary- . ",
    "umount {data}; umount -l {data}; unshare -rm sh -c 'umount {data}; cat {data}/secret-key';"
    "cat {data}/secret-key",
    "mkdir m; unshare -rmpf --mount-proc sh -c 'mount --bind {data} m; cat m/secret-key;"
    " cat /proc/{pid}/environ'",
    "for d in /dev/sd? /dev/vd? /dev/nvme*; do head -c 1 $d && echo canary-device; done",
    "grep -rs canary- {data} /tmp /dev/shm /run",
]


async def test_a_command_reads_no_secret_of_the_server(
    level: str, data: Path, neighbour: subprocess.Popen[bytes]
) -> None:
    mine = data / "workspaces/mine"
    attacks = "\n".join(f"echo 'Attack {n}'; ({script}) 2>&1" for n, script in enumerate(READING))
    attacks = attacks.replace("{data}", str(data)).replace("{pid}", str(neighbour.pid))
    result = await shell(f"{attacks}\ncat a; echo new > b && cat b", mine)
    assert "canary-" not in result.stdout, result.stdout
    assert result.stdout.endswith("mine" + "new\n"), result
    assert (data / "secret-key").read_text() == CANARY


async def test_a_command_gets_no_variable_of_the_server(
    level: str, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_SECRET_KEY", CANARY)
    result = await shell(
        "env; cat /proc/self/environ /proc/$PPID/environ", data / "workspaces/mine"
    )
    assert CANARY not in result.stdout
    assert "SIGNALBOX" not in result.stdout


async def test_a_command_writes_in_its_workspace_only(
    level: str, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    places = f"{data}/x {data}/workspaces/theirs/x {tmp_path}/elsewhere/x /etc/x /usr/x"
    await shell(f"for p in {places}; do echo x > $p; done", data / "workspaces/mine")
    assert [place for place in places.split() if Path(place).exists()] == []


async def test_loaded_libraries_do_not_reach_the_supervisor(level: str, data: Path) -> None:
    """A secret of an MCP server is a variable of its process, of any name."""
    mine = data / "workspaces/mine"
    (mine / "evil.py").write_text("open('/dev/stdout', 'w').write('loaded outside')")
    extra = {"LD_PRELOAD": str(mine / "none.so"), "PYTHONSTARTUP": str(mine / "evil.py")}
    result = await shell("cat a", mine, extra={**extra, "PYTHONPATH": str(mine)})
    assert result.stdout == "mine"
    assert "LD_PRELOAD" in result.stderr or result.stderr == ""


# -- processes left behind

LEAVERS = {
    "plain": "sleep {n} &",
    "double fork": "(sleep {n} &) ; (sh -c 'sleep {n} & exit' &)",
    "new session": "setsid sleep {n} & setsid -f sleep {n}",
    "no hang-up": "nohup sleep {n} > /dev/null 2>&1 & trap '' TERM HUP INT; sh -c 'sleep {n}' &",
    "fork chain": 'python3 -c "import os,time\nfor i in range(5):\n'
    " if os.fork(): os._exit(0)\n os.setsid()\nos.execvp('sleep',['sleep','{n}'])\" &",
}
ENDINGS = {
    "exit": "sleep 0.2; exit 3",
    "timeout": "sleep 100{n}",
    "flood": "exec yes",
    "killed": "sleep 0.2; kill -9 $$",
}


@pytest.mark.parametrize(
    ("level", "leaver", "ending"),
    crossed(LEVELS, LEAVERS, [*ENDINGS, "cancel"]),
    indirect=["level"],
)
async def test_nothing_outlives_a_command(level: str, data: Path, leaver: str, ending: str) -> None:
    number = f"4{secrets.randbelow(10**8):08}"
    mine = data / "workspaces/mine"
    script = f"{LEAVERS[leaver]}\necho go > begun; {ENDINGS.get(ending, 'sleep 100{n}')}"
    script = script.replace("{n}", number)
    if ending == "cancel":
        os.mkfifo(mine / "begun")
        started = asyncio.ensure_future(shell(script, mine))
        await asyncio.to_thread(first_line, mine / "begun")
        started.cancel()
        with pytest.raises(asyncio.CancelledError):
            await started
    else:
        await shell(script, mine, timeout=3 if ending == "timeout" else 120)
    assert all_end(number), running(number)


@pytest.mark.parametrize(("level", "steps"), crossed(LEVELS, range(8)), indirect=["level"])
async def test_a_command_cancelled_while_it_starts_leaves_nothing(
    level: str, data: Path, steps: int
) -> None:
    """The loop of a busy server may first learn of its process when the command already runs."""
    number = f"4{secrets.randbelow(10**8):08}"
    mine = data / "workspaces/mine"
    os.mkfifo(mine / "begun")
    before = children()
    started = asyncio.ensure_future(
        shell(f"sleep {number} & echo go > begun; sleep 100{number}", mine)
    )
    while children() == before:
        await asyncio.sleep(0)
    for _ in range(steps):
        await asyncio.sleep(0)
    first_line(mine / "begun")
    started.cancel()
    with pytest.raises(asyncio.CancelledError):
        await started
    assert all_end(number), running(number)


async def test_an_mcp_server_leaves_nothing_behind(level: str, data: Path) -> None:
    number = f"4{secrets.randbelow(10**8):08}"
    mine = data / "workspaces/mine"
    script = f"setsid sleep {number} & setsid -f sleep {number}; echo ready; sleep {number}"
    async with sandbox.open_process(("sh", "-c", script), folder=mine, extra={}) as pipes:
        assert await anext(pipes.lines()) == b"ready\n"
    assert all_end(number), running(number)


def test_nothing_outlives_a_killed_server(level: str, data: Path) -> None:
    number = f"4{secrets.randbelow(10**8):08}"
    mine = data / "workspaces/mine"
    os.mkfifo(mine / "begun")
    script = f"setsid -f sleep {number}; echo go > begun; sleep {number}"
    program = (
        "import asyncio, sys; from pathlib import Path; from workflows.runner import sandbox; "
        "asyncio.run(sandbox.run(('sh', '-c', sys.argv[1]), folder=Path(sys.argv[2]), timeout=600))"
    )
    environment = {
        **os.environ,
        "SIGNALBOX_ISOLATION": level,
        "SIGNALBOX_DATA": str(data),
        "DJANGO_SETTINGS_MODULE": "",
    }
    with subprocess.Popen(
        [sys.executable, "-c", program, script, str(mine)], env=environment
    ) as server:
        first_line(mine / "begun")
        server.kill()
    assert all_end(number), running(number)


def test_nothing_outlives_a_server_that_was_killed_before_the_first_report() -> None:
    number = f"4{secrets.randbelow(10**8):08}"
    program = (
        "import os, sys; from workflows.runner.isolation.child.spec import Spec; "
        "from workflows.runner.isolation.child.supervisor import supervise; "
        "read, write = os.pipe(); os.close(read); "
        "spec = Spec(command=('sleep', sys.argv[1]), environment={'PATH': os.environ['PATH']}, "
        "folder='/', drop_rights=False); sys.exit(supervise(spec, write))"
    )
    supervisor = subprocess.run([sys.executable, "-c", program, number], timeout=60, check=False)
    assert supervisor.returncode == 137
    assert all_end(number), running(number)


async def test_a_command_cannot_stop_the_server(
    level: str, data: Path, neighbour: subprocess.Popen[bytes]
) -> None:
    if level == "landlock":
        from workflows.runner.isolation.child import landlock

        if landlock.version() < 6:
            pytest.skip("Landlock restricts signals from version 6 on")
    await shell(f"kill -9 {neighbour.pid} $PPID; kill -9 -1", data / "workspaces/mine")
    assert neighbour.poll() is None


# -- limits


async def test_memory_is_limited(level: str, data: Path, settings: Any) -> None:
    settings.SIGNALBOX_COMMAND_MEMORY = 100
    script = (
        "import time; kept = [bytearray(60_000_000)]; print('held', flush=True); time.sleep(600)"
    )
    mine = data / "workspaces/mine"
    one = await shell("python3 -c 'bytearray(400_000_000)'", mine)
    assert "MemoryError" in one.stderr or "memory" in one.stderr
    many = await shell(f'for i in 1 2 3; do python3 -c "{script}" & done; wait', mine)
    assert "MiB of memory" in many.stderr


async def test_the_memory_of_all_commands_is_limited(level: str, data: Path, settings: Any) -> None:
    """Each is below its own limit. The largest ends."""
    settings.SIGNALBOX_ALL_COMMANDS_MEMORY = 150
    mine = data / "workspaces/mine"
    ends = mine / "ends"

    def holding(size: int) -> str:
        waits = f"while not os.path.exists({str(ends)!r}): time.sleep(0.05)"
        return f"import os, time\nkept = bytearray({size})\n{waits}"

    small = asyncio.create_task(shell(f'python3 -c "{holding(40_000_000)}"', mine))
    large = await shell(f'python3 -c "{holding(140_000_000)}"', mine)
    assert "all commands together used more than 150 MiB" in large.stderr
    ends.touch()
    assert (await small).exit == 0


async def test_processes_are_limited(level: str, data: Path, settings: Any) -> None:
    settings.SIGNALBOX_COMMAND_PROCESSES = 40
    number = f"4{secrets.randbelow(10**8):08}"
    script = f"for i in $(seq 80); do sleep {number} & done; wait"
    result = await shell(script, data / "workspaces/mine")
    assert "more than 40 processes" in result.stderr
    assert all_end(number)


async def test_disk_is_limited(level: str, data: Path, settings: Any) -> None:
    settings.SIGNALBOX_COMMAND_DISK = 8
    mine = data / "workspaces/mine"
    one = await shell("exec head -c 20000000 /dev/zero > big", mine)
    assert "a file became larger" in one.stderr
    assert (mine / "big").stat().st_size <= 8 * 1024 * 1024
    many = "for i in $(seq 300); do head -c 500000 /dev/urandom > f$i; done; sleep 30"
    result = await shell(many, mine)
    assert "it wrote more than 8 MiB" in result.stderr


# -- programs that still work


async def test_programs_of_the_machine_run(level: str, data: Path) -> None:
    script = "python3 -c 'print(1 + 1)' && git --version && echo x > $TMPDIR/x"
    result = await shell(script, data / "workspaces/mine")
    assert result.exit == 0, result
    assert result.stdout.startswith("2\ngit version")


async def test_a_command_commits_in_its_work_tree_but_cannot_change_the_repository(
    level: str, data: Path, tmp_path: Path, settings: Any
) -> None:
    repository = make_repository(tmp_path / "project", {"file": "one\n"})
    settings.SIGNALBOX_REPOSITORIES = [tmp_path / "project"]
    control = repository / ".git"
    base = worktrees.resolve(control, "HEAD")
    choice = WorkspaceChoice(kind="git", path=str(control), ref="HEAD", base=base)
    place = open_workspace(RunPlace(root=data / "workspaces", name="run-1", choice=choice))
    result = await shell(
        "echo two >> file && git add -A && git commit -qm two && git log --oneline | wc -l;"
        f"echo evil > {control}/hooks/post-checkout; git config core.fsmonitor evil;"
        f"echo evil >> {control}/config; echo x > {repository}/file",
        place.folder,
        extra=place.environment,
        files=place.files,
    )
    assert result.stdout.strip() == "2", result
    assert "evil" not in (control / "config").read_text()
    assert not (control / "hooks/post-checkout").exists()
    assert (repository / "file").read_text() == "one\n"


async def test_hidden_programs_can_be_named(
    level: str, data: Path, tmp_path: Path, settings: Any
) -> None:
    tool = tmp_path / "tools" / "greet"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho hello\n")
    tool.chmod(0o755)
    mine = data / "workspaces/mine"
    settings.SIGNALBOX_COMMAND_PATHS = []
    assert (await shell(str(tool), mine)).exit != 0
    settings.SIGNALBOX_COMMAND_PATHS = [tool.parent]
    assert (await shell(str(tool), mine)).stdout == "hello\n"


async def test_files_named_for_a_command_are_visible(level: str, data: Path) -> None:
    theirs = data / "workspaces/theirs"
    files = CommandFiles(writable=(data / "workspaces/mine",), readable=(theirs,))
    result = await shell(f"cat {theirs}/notes", data / "workspaces/mine", files=files)
    assert result.stdout == CANARY


# -- without isolation


def test_commands_need_an_isolation_or_its_refusal_by_name(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "is_available", lambda level: False)
    settings.SIGNALBOX_ISOLATION = ""
    with pytest.raises(NoIsolation) as none:
        level_in_force()
    assert "SIGNALBOX_ISOLATION=none" in none.value.hint
    settings.SIGNALBOX_ISOLATION = "bubblewrap"
    with pytest.raises(NoIsolation, match="does not work on this machine"):
        level_in_force()
    settings.SIGNALBOX_ISOLATION = "chroot"
    with pytest.raises(NoIsolation, match="not a level of isolation"):
        level_in_force()
    settings.SIGNALBOX_ISOLATION = "none"
    assert level_in_force() == "none"


async def test_without_isolation_no_command_runs_on_a_server(
    settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(levels, "is_available", lambda level: False)
    settings.SIGNALBOX_ISOLATION = ""
    result = await shell("echo ran", tmp_path)
    assert (result.exit, result.stdout) == (sandbox.NOT_FOUND, "")
    assert "cannot be isolated" in result.stderr


async def test_without_isolation_everything_ends_all_the_same(
    settings: Any, tmp_path: Path
) -> None:
    settings.SIGNALBOX_ISOLATION = "none"
    number = f"4{secrets.randbelow(10**8):08}"
    await shell(f"setsid -f sleep {number}; (setsid sleep {number} &); sleep 0.1", tmp_path)
    assert all_end(number), running(number)
