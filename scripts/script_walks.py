"""Record the calls that a second runtime of workflow scripts makes, as numbers.

    .venv/bin/python scripts/script_walks.py    # write tests/vectors/workflow_scripts/walks.json

Each script of tests/corpus/workflow-scripts/own runs several times in QuickJS, as in a rehearsal,
with answers by seed. `script_runtime.mjs` runs it again with the same answers, on node. A vector
has the number of its calls, and a checksum of their kinds, prompts, labels, phases and models in
order. tests/dialects/workflow_scripts/test_walks.py compares.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

ROOT = Path(__file__).resolve().parents[1]
OWN = ROOT / "tests/corpus/workflow-scripts/own"
VECTORS = ROOT / "tests/vectors/workflow_scripts/walks.json"
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from workflows.core.dialects.workflow_scripts import DIALECT  # noqa: E402
from workflows.core.dialects.workflow_scripts.program.replay import (  # noqa: E402
    Replay,
    instrumented,
)
from workflows.core.pack.files import Files  # noqa: E402

SEEDS = 6
MOST_ANSWERS = 150
CALL = ("kind", "prompt", "label", "phase", "model")
NO_ARGS: Any = object()


def walks() -> Iterator[tuple[Path, int, Any]]:
    """Each script, its seeds, and the args of its vectors in turn."""
    vectors = json.loads((OWN / "vectors.json").read_text())["files"]
    for path in sorted(one for one in OWN.iterdir() if one.suffix in (".js", ".mjs")):
        inputs = [run.get("args", NO_ARGS) for run in vectors[path.name]["runs"]]
        for seed in range(SEEDS):
            yield path, seed, expanded(inputs[seed % len(inputs)], 0)


def expanded(value: Any, number: int) -> Any:
    """A value of the vectors. `{i}` is the index in a list, `{n}` the number of the call."""
    match value:
        case {"$repeat": count, "of": one}:
            return [expanded(_filled(one, "{i}", index), number) for index in range(count)]
        case dict():
            return {key: expanded(one, number) for key, one in value.items()}
        case list():
            return [expanded(one, number) for one in value]
    return _filled(value, "{n}", number)


def _filled(value: Any, mark: str, number: int) -> Any:
    match value:
        case str():
            return value.replace(mark, str(number))
        case dict():
            return {key: _filled(one, mark, number) for key, one in value.items()}
    return value


def walk(path: Path, seed: int, args: Any) -> tuple[list[list[str]], list[Mapping[str, Any]]]:
    """The calls of one run in QuickJS, and its answers."""
    body = instrumented(DIALECT.read(Files.of({path.name: path.read_bytes()})))
    has_args = args is not NO_ARGS
    replay = Replay(body, args if has_args else None, has_args=has_args)
    calls, answers = list[list[str]](), list[Mapping[str, Any]]()
    while (call := replay.status.call) is not None:
        calls.append([call[name] for name in CALL])
        if len(answers) == MOST_ANSWERS:
            break
        answers.append(answer_to(call["schema"], seed, len(answers)))
        replay.answer(answers[-1].get("value"), throws=answers[-1].get("throws", ""))
    return calls, answers


def answer_to(schema: Any, seed: int, number: int) -> Mapping[str, Any]:
    """An answer by seed: a value, null for every ninth, an error for every seventeenth."""
    kind = chosen(seed, number, "answer")
    if kind % 17 == 0:
        return {"throws": "The agent failed."}
    if kind % 9 == 0:
        return {"value": None}
    return {"value": value_of(schema, seed, number) if schema else f"Answer {number}"}


def value_of(schema: Any, *place: object) -> Any:
    """A value for the keywords that the scripts use."""
    number, named = chosen(*place), schema if isinstance(schema, dict) else {}
    if named.get("enum"):
        return named["enum"][number % len(named["enum"])]
    match named.get("type"):
        case "object":
            fields = named.get("properties", {})
            return {key: value_of(one, *place, key) for key, one in fields.items()}
        case "array":
            low, high = named.get("minItems", 0), min(named.get("maxItems", 4), 4)
            size = low + number % (max(low, high) - low + 1)
            return [value_of(named.get("items"), *place, at) for at in range(size)]
        case "boolean":
            return number % 2 == 0
        case "integer" | "number":
            return named.get("minimum", 0) + number % 7
    return f"{place[-1]} {number % 100}"


def chosen(*place: object) -> int:
    """A number that only depends on a place."""
    return crc32(json.dumps(place).encode())


def numbers(path: Path, seed: int, calls: Sequence[Sequence[str]]) -> list[Any]:
    """The vector of a walk."""
    written = json.dumps(calls, ensure_ascii=False, separators=(",", ":")).encode()
    return [path.name, seed, len(calls), crc32(written)]


def main() -> None:
    planned, lines = [], []
    for path, seed, args in walks():
        calls, answers = walk(path, seed, args)
        order = {"file": str(path), "answers": answers}
        lines.append(json.dumps(order if args is NO_ARGS else {**order, "args": args}))
        planned.append(numbers(path, seed, calls))
    command = ("scripts/node.sh", "node", str(ROOT / "scripts/script_runtime.mjs"))
    done = subprocess.run(
        command, cwd=ROOT, input="\n".join(lines), capture_output=True, text=True, check=True
    )
    rows = [
        numbers(OWN / own[0], own[1], json.loads(line))
        for own, line in zip(planned, done.stdout.splitlines(), strict=True)
    ]
    differing = [one for one, own in zip(rows, planned, strict=True) if one != own]
    VECTORS.parent.mkdir(exist_ok=True)
    VECTORS.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
    print(f"{len(rows)} walks; other calls in QuickJS: {differing or 'none'}")


if __name__ == "__main__":
    main()
