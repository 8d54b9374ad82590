"""The clients that the page about the API prints do what it promises, with a token from the command
line and a live server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live_server import LiveServer
from tests.support.server_commands import command
from workflows.help.pages import pages
from workflows.installation import ROOT

SAMPLE = ROOT / "workflows/core/dialects/promptpack/samples/code-review.pack.json"
FRONT_END = ROOT / "frontend_static"


def printed(language: str) -> str:
    """The program in this language on the page."""
    (program,) = re.findall(rf"^```{language}\n(.*?)^```", pages()["api"].text, re.M | re.S)
    return str(program)


@pytest.fixture
def settings_of_a_client(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The variables of a client, with a token that the page's command has created."""
    data = tmp_path / "data"
    data.mkdir()
    server = LiveServer(data)
    server.start()
    try:
        line = next(one for one in pages()["api"].text.splitlines() if "token add" in one)
        made = command(data, *line.split()[1:])
        assert made.code == 0, made.err
        yield {**os.environ, "SIGNALBOX": server.url, "TOKEN": made.out.strip()}
    finally:
        server.end(9)


@pytest.mark.sqlite
def test_the_client_imports_edits_runs_follows_and_exports(
    settings_of_a_client: dict[str, str], tmp_path: Path
) -> None:
    program = printed("python")
    assert len(program.splitlines()) <= 60
    (tmp_path / "client.py").write_text(program)
    pack = tmp_path / "review.pack.json"
    pack.write_bytes(SAMPLE.read_bytes())
    done = subprocess.run(
        [sys.executable, "client.py", pack.name],
        cwd=tmp_path,
        env=settings_of_a_client,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "Code review: 4 states, 0 errors"
    assert lines[1].startswith("revision 2: ")
    assert lines[2] == "state implement"
    assert lines[-1].startswith("completed [")
    exported = (tmp_path / "exported.json").read_text()
    assert exported == pack.read_text().replace("give_up", "rejected")

    wrong = {**settings_of_a_client, "TOKEN": "x" * 40}
    refused = subprocess.run(
        [sys.executable, "client.py", pack.name],
        cwd=tmp_path, env=wrong, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refused.returncode == 1
    assert refused.stderr.startswith("not_signed_in: ")


@pytest.mark.slow
@pytest.mark.sqlite
def test_the_typescript_client_has_the_types_of_the_document_and_works(
    settings_of_a_client: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "client.ts").write_text(printed("ts"))
    (tmp_path / "api.ts").write_bytes((FRONT_END / "src/api/schema.ts").read_bytes())
    options = {
        "compilerOptions": {
            "strict": True, "module": "esnext", "target": "es2022", "moduleResolution": "bundler",
            "outDir": "out", "skipLibCheck": True, "noUncheckedIndexedAccess": True,
            "types": ["node"], "typeRoots": [str(FRONT_END / "node_modules/@types")],
        },
        "files": ["client.ts"],
    }  # fmt: skip
    (tmp_path / "tsconfig.json").write_text(json.dumps(options))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    pack = tmp_path / "review.pack.json"
    pack.write_bytes(SAMPLE.read_bytes())
    steps = (
        ["exec", "--", "tsc", "-p", str(tmp_path)],
        ["node", str(tmp_path / "out/client.js"), str(pack)],
    )
    for step in steps:
        done = subprocess.run(
            [ROOT / "scripts/node.sh", *step],
            cwd=ROOT, env=settings_of_a_client, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "revision 2, completed"
    exported = pack.with_name(f"{pack.name}.exported").read_text()
    assert exported == pack.read_text().replace("give_up", "rejected")
