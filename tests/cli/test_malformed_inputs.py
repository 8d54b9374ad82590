"""Damaged files and odd arguments: a finding or a sentence, and an exit code of the README's table;
never a mistake of our own."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.checks import quick_every
from tests.support.corpus import CORPUS
from tests.support.malformed_values import BODIES, malformed
from workflows.core.dialects import dialects

SAMPLES = [f"{dialect.name}/{key}" for dialect in dialects().values() for key in dialect.samples()]
DAMAGED = 1
"""Versions of each sample that are damaged. More find the same more slowly."""
SCRIPT = {"replies": [{"text": "Hello."}], "answers": [{"approve": True}], "repeat_last": True}
EDITS = [{"type": "add_state", "kind": "", "id": "x"}, {"type": "set_entry", "state": "draft"}]
FORMATS = ["text", "json", "sarif", "github", "markdown"]
ODD = [b"", b"\0", b"\xff\xfe", b"[" * 50_000, b"{}", b"7", *(body for _, body in BODIES.values())]
CODES = {
    "check": {0, 1, 2},
    "graph": {0, 2},
    "diff": {0, 1, 2},
    "edit": {0, 1, 2},
    "convert": {0, 1, 2},
    "rehearse": {0, 1, 2},
    "run": {0, 1, 2, 3, 4},
    "verify": {0, 1, 2},
}


@pytest.fixture
def survives(cli, tmp_path):
    """Every command on this pack; `sound` is the same undamaged."""
    for name, body in {"script.json": SCRIPT, "edits.json": EDITS}.items():
        (tmp_path / name).write_text(json.dumps(body))

    def tried(pack: Path, sound: Path, chance: random.Random) -> None:
        other = chance.choice(list(dialects()))
        for command, *more in (
            ("check", pack, "--format", chance.choice(FORMATS)),
            ("graph", pack, "--format", chance.choice(["json", "mermaid", "dot"])),
            ("diff", sound, pack, "--format", chance.choice(["text", "json", "svg"])),
            ("edit", pack, "--edits", "edits.json", "-o", tmp_path / "edited"),
            ("convert", pack, "--to", other, "-o", tmp_path / f"made-{chance.random()}"),
            ("rehearse", pack, "--runs", "2", *(["--json"] if chance.random() < 0.5 else [])),
            ("run", pack, "--script", "script.json", "--deny", "--max-steps", "20", "--json"),
            ("verify", pack, "script.json"),
        ):
            said = cli(command, *more)
            assert said.code in CODES[command], (command, pack.name, said.code, said.err)
            assert said.code != 2 or said.err or said.out, (command, pack.name)

    return tried


def damaged(data: bytes, chance: random.Random) -> bytes:
    """These bytes with something wrong."""
    match chance.randrange(5):
        case 0:
            return data[: chance.randrange(len(data) + 1)]
        case 1:
            at = chance.randrange(len(data) + 1)
            return (
                data[:at]
                + chance.choice([b"\0", b"\xff", b"{", b'"', b"\n---\n", b": "])
                + data[at:]
            )
        case 2:
            return data.replace(b'"', b"'", 3).replace(b":", b"", chance.randrange(3))
        case 3:
            return chance.choice(ODD)
    try:
        return json.dumps(malformed(json.loads(data), chance)).encode()
    except ValueError:
        lines = data.splitlines(keepends=True)
        chance.shuffle(lines)
        return b"".join(lines)


def written(files: dict[str, bytes], folder: Path) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


@pytest.mark.parametrize("sample", quick_every(4, SAMPLES))
def test_a_damaged_sample_is_no_mistake_of_ours(sample: str, survives, tmp_path: Path) -> None:
    dialect, _, key = sample.partition("/")
    files = {str(path): data for path, data in dialects()[dialect].samples()[key].items()}
    sound = written(files, tmp_path / "sound")
    chance = random.Random(sample)
    for number in range(DAMAGED):
        name = chance.choice(sorted(files))
        pack = {**files, name: damaged(files[name], chance)}
        survives(written(pack, tmp_path / str(number)), sound, chance)


def _invalid() -> Iterator[Path]:
    for path in sorted(CORPUS.glob("**/*invalid*")):
        yield from sorted(path.iterdir()) if path.is_dir() else [path]


@pytest.mark.parametrize(
    "path", quick_every(6, _invalid()), ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_an_invalid_file_is_no_mistake_of_ours(path: Path, cli) -> None:
    for command in ("check", "graph", "rehearse"):
        assert cli(command, path).code in CODES[command]


@pytest.mark.parametrize("data", quick_every(6, ODD), ids=range(len(ODD)))
def test_odd_files_next_to_a_pack_cause_no_internal_error(data: bytes, cli, pack, write) -> None:
    odd = write("odd.json", data)
    for command, *more in (
        ("edit", pack, "--edits", odd, "-o", "out"),
        ("run", pack, "--script", odd, "--max-steps", "3"),
        ("run", pack, "--input-file", odd, "--max-steps", "3"),
        ("rehearse", pack, "--input-file", odd, "--runs", "1"),
        ("verify", pack, odd),
        ("diff", pack, odd),
    ):
        said = cli(command, *more)
        assert said.code in CODES[command], (command, said.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "nowhere"),
        ("check", ""),
        ("check", "/dev/null"),
        ("check", "x" * 5_000),
        ("check", "\udcff"),
        ("check", "PACK", "--profile", "\udcff"),
        ("check", "-"),
        ("graph", "PACK", "--profile", "nonsense"),
        ("graph", "."),
        ("convert", "PACK", "--to", "nonsense", "-o", "out"),
        ("convert", "PACK", "--to", "stages", "-o", "PACK"),
        ("convert", "PACK", "--to", "stages", "-o", "/dev/null/x"),
        ("convert", "PACK", "--to", "stages", "-o", "out", "--report", "/dev/null/x"),
        ("rehearse", "PACK", "--runs", "0"),
        ("rehearse", "PACK", "--runs", "9" * 5_000),
        ("rehearse", "PACK", "--runs", "1", "--seed", "-" + "9" * 400),
        ("rehearse", "PACK", "--runs", "1", "--input", "="),
        ("rehearse", "PACK", "--runs", "1", "--input", "novalue"),
        ("run", "PACK", "--driver", "nonsense"),
        ("run", "PACK", "--driver", "model", "--model", "\udcff:x"),
        ("run", "PACK", "--driver", "rehearsal", "--max-steps", "9" * 40, "--input", "a=\udcff"),
        ("run", "PACK", "--script", "."),
        ("run", "PACK", "--input-file", "nowhere"),
        ("edit", "PACK", "--edits", "-"),
        ("edit", "PACK", "--edits", "nowhere"),
        ("verify", "PACK", "PACK"),
        ("verify", "PACK", "."),
        ("diff", "PACK", "."),
        ("prune", "--days", "0"),
        ("prune", "--days", "x"),
        ("serve", "--port", "99999"),
        ("worker", "--at-once", "-1"),
        ("nonsense",),
        (),
    ],
    ids=lambda arguments: " ".join(arguments)[:40].encode(errors="replace").decode() or "nothing",
)
def test_odd_arguments_have_a_message(arguments: tuple[str, ...], cli, pack) -> None:
    said = cli(*(str(pack) if one == "PACK" else one for one in arguments))
    assert said.code in CODES.get(arguments[0] if arguments else "", {2}), said.err
    assert said.code != 2 or said.err or said.out


def test_more_days_than_a_calendar_has_are_refused(cli) -> None:
    said = cli("prune", "--dry-run", "--days", "999999999999")
    assert (said.code, "more than a hundred years" in said.err) == (2, True)
