"""Verdicts of Climpt's own `--validate` on the agents that Signalbox writes.

`tests/vectors/climpt/validate-1.13.27.json` records them: pack → digest of the written files and
errors. To record them again, name the command that starts Climpt's agent runner (in a checkout of
release 1.13.27, `deno run -A agents/scripts/run-agent.ts` with absolute paths):

    SIGNALBOX_CLIMPT="…" python -m tests.dialects.steps_registry.upstream_verdicts
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.core.convert.packs import KnownPack, converted, samples
from workflows.core.dialects import dialects
from workflows.core.pack.files import Files

RECORDED = Path(__file__).parents[2] / "vectors" / "climpt" / "validate-1.13.27.json"
COMMAND = shlex.split(os.environ.get("SIGNALBOX_CLIMPT", ""))
NAME = "steps_registry"


def written_packs() -> Iterator[tuple[str, Files]]:
    """The samples, among them the start of a new pack, and every shipped pack of another dialect
    as an agent."""
    for name, files in dialects()[NAME].samples().items():
        yield f"{NAME}/{name}", files
    for known in samples():
        if known.dialect != NAME:
            yield known.name, converted(known, NAME).files
            yield f"{known.name} and back", _there_and_back(known)


def _there_and_back(known: KnownPack) -> Files:
    """The agent made from a pack, converted to the pack's dialect and to an agent again."""
    agent = KnownPack(name="agent", dialect=NAME, files=converted(known, NAME).files)
    back = KnownPack(
        name="back", dialect=known.dialect, files=converted(agent, known.dialect).files
    )
    return converted(back, NAME).files


def digest(files: Files) -> str:
    """A digest of paths and bytes."""
    whole = sha256()
    for path, data in sorted(files.items()):
        whole.update(f"{path}\0{len(data)}\0".encode() + data)
    return whole.hexdigest()


def agents_of(files: Files) -> list[str]:
    return [path.split("/")[-2] for path in files if path.endswith("/agent.json")]


def errors(files: Files) -> list[str]:
    """The output of Climpt's validation for every agent that it refuses."""
    found = []
    with TemporaryDirectory() as folder:
        for path, data in files.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        for agent in agents_of(files):
            command = [*COMMAND, "--validate", "--agent", agent]
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=False, timeout=60
            )
            if done.returncode != 0:
                found += (done.stdout + done.stderr).splitlines() or [f"exit {done.returncode}"]
    return found


def main() -> int:
    if not COMMAND:
        print("SIGNALBOX_CLIMPT names no command.", file=sys.stderr)
        return 2
    recorded = {
        name: {"digest": digest(files), "errors": errors(files)} for name, files in written_packs()
    }
    RECORDED.parent.mkdir(parents=True, exist_ok=True)
    RECORDED.write_text(json.dumps(recorded, indent=2, ensure_ascii=False) + "\n")
    accepted = sum(not item["errors"] for item in recorded.values())
    print(f"{accepted} of {len(recorded)} agents are accepted.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
