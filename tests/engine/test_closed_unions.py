"""A new effect kind in a copy of the tree: mypy names every place that must handle it, and
`docs/architecture.md` lists those places."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EFFECTS = "workflows/core/engine/effects.py"
ENGINE = "workflows/core/engine/"
DOCS = ROOT / "docs/architecture.md"
ERROR = re.compile(r"(?P<path>[^:]+):(?P<line>\d+): error: (?P<message>.*)")

FACTS = ("performer", "request_event", "answer_event")
KINDS = """@dataclass(frozen=True, slots=True, kw_only=True)
class Translate:
    performer: ClassVar[Performer] = "model"
    request_event: ClassVar[EventType] = "model.asked"
    answer_event: ClassVar[EventType] = "model.replied"
    key: str
    position: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bare:
    key: str
    position: str
    state: str


Effect: TypeAlias = Translate | Bare | """


def copy_users(target: Path) -> list[str]:
    """Copy every module that imports the effects, and the engine; return their paths."""
    paths = []
    for folder in ("workflows", "signalbox"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            text = path.read_text(encoding="utf-8")
            if "engine.effects import" in text or name.startswith(ENGINE):
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (target / name).write_text(text, encoding="utf-8")
                paths.append(name)
    return paths


def mypy(folder: Path, paths: list[str]) -> list[dict[str, str]]:
    """mypy's errors about these modules, with two more effect kinds: one that is complete, and one
    without the facts that every kind has.

    Modules outside the list are not followed, so that this takes seconds. Some imports of packages
    look wrong to mypy only because of that.
    """
    text = (ROOT / EFFECTS).read_text(encoding="utf-8")
    (folder / EFFECTS).write_text(text.replace("Effect: TypeAlias = ", KINDS, 1), encoding="utf-8")
    options = [
        "--config-file=",
        "--follow-imports=skip",
        "--ignore-missing-imports",
        "--namespace-packages",
        "--explicit-package-bases",
        "--no-error-summary",
        f"--cache-dir={os.devnull}",
    ]
    command = [sys.executable, "-m", "mypy", *options, *paths]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    errors = [m.groupdict() for m in map(ERROR.match, done.stdout.splitlines()) if m]
    return [error for error in errors if not error["path"].endswith("__init__.py")]


def place(error: dict[str, str]) -> str:
    """The function that an error is in, as `path: name`."""
    line = int(error["line"])
    tree = ast.parse((ROOT / error["path"]).read_text(encoding="utf-8"))
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.lineno <= line <= (node.end_lineno or line)
    ]
    name = max(functions, key=lambda node: node.lineno).name if functions else ""
    return f"{error['path']}: {name}"


@pytest.mark.slow
def test_mypy_names_the_documented_places_of_a_new_effect_kind(tmp_path):
    errors = mypy(tmp_path, copy_users(tmp_path))
    missing = [error for error in errors if any(f'"{name}"' in error["message"] for name in FACTS)]
    told = " ".join(error["message"] for error in missing)
    assert all(f'"{name}"' in told for name in FACTS)

    errors = [error for error in errors if error not in missing]
    assert {error["message"].split(" has ")[0] for error in errors} == {
        'Argument 1 to "assert_never"'
    }
    section = DOCS.read_text(encoding="utf-8").split("### Add an effect kind")[1].split("\n## ")[0]
    documented = re.findall(r"^- `(\S+)`: `(\w+)`", section, flags=re.MULTILINE)
    assert {f"{path}: {name}" for path, name in documented} == {place(error) for error in errors}
    number = re.search(r"these (\d+) places", section)
    assert number is not None
    assert int(number[1]) == len(documented) == len(errors)
