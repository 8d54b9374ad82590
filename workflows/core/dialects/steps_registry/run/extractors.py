"""What is read out of a failed command's output (section 1.8)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Output = dict[str, Any]
TYPE_ERROR = re.compile(r"(?m)^\s*(?:at )?(?:file://)?(\S+\.tsx?):(\d+)(?::(\d+))?")
FILE = re.compile(r"(\S+\.tsx?)[(:]\d+")
FAILED = re.compile(r"(?m)^\s*FAILED\s*\|\s*(.+)$|^(\S+\.ts) \.\.\. .*FAILED|(AssertionError: .+)")
FORMATTED = (".ts", ".tsx", ".js", ".jsx", ".json", ".md")


def extracted(name: str, output: Output) -> Any:
    """The value of one extractor; None for a name nobody wrote."""
    function = EXTRACTORS.get(name)
    return function(output) if function is not None else None


def _lines(output: Output) -> list[str]:
    return [line for line in str(output["stdout"]).split("\n") if len(line) > 3]


def _porcelain(keep: Callable[[str], bool]) -> Callable[[Output], list[str]]:
    return lambda output: [line[3:].strip() for line in _lines(output) if keep(line)]


def _type_errors(output: Output) -> list[dict[str, Any]]:
    lines = str(output["stderr"]).split("\n")
    found = []
    for index, line in enumerate(lines):
        if match := TYPE_ERROR.match(line):
            before = lines[index - 1].strip() if index else line.strip()
            found.append({"file": match[1], "line": int(match[2]), "message": before})
    return found


def _files(output: Output) -> list[str]:
    text = f"{output['stderr']}\n{output['stdout']}"
    return [name for name in dict.fromkeys(FILE.findall(text)) if "node_modules" not in name]


def _tests(output: Output) -> list[dict[str, Any]]:
    text = f"{output['stdout']}\n{output['stderr']}"
    found = []
    for match in FAILED.finditer(text):
        name = next(part for part in match.groups() if part)
        found.append({"name": name.strip(), "error": match[0].strip()})
    return found


def _lint(output: Output) -> list[dict[str, Any]]:
    return [
        {"file": item["file"], "line": item["line"], "rule": "", "message": item["message"]}
        for item in _type_errors(output)
    ]


def _formatted(output: Output) -> list[str]:
    words = f"{output['stdout']}\n{output['stderr']}".split()
    return list(dict.fromkeys(word for word in words if word.endswith(FORMATTED)))


def _diff(output: Output) -> list[str]:
    return [f"{name} needs formatting" for name in _formatted(output)[:10]]


EXTRACTORS: dict[str, Callable[[Output], Any]] = {
    "parseChangedFiles": _porcelain(lambda line: "?" not in line[:2]),
    "parseUntrackedFiles": _porcelain(lambda line: line.startswith("??")),
    "parseStagedFiles": _porcelain(lambda line: line[0] not in " ?"),
    "parseUnstagedFiles": _porcelain(lambda line: line[1] not in " ?"),
    "parseTestOutput": _tests,
    "failedTests": _tests,
    "errorOutput": lambda output: output["stderr"] or output["stdout"],
    "parseTypeErrors": _type_errors,
    "errors": _type_errors,
    "extractFiles": _files,
    "files": _files,
    "parseLintErrors": _lint,
    "lintErrors": _lint,
    "lintFiles": lambda output: list(dict.fromkeys(item["file"] for item in _lint(output))),
    "parseFormatOutput": _formatted,
    "formatFiles": _formatted,
    "generateDiff": _diff,
    "diff": _diff,
    "stdout": lambda output: output["stdout"],
    "stderr": lambda output: output["stderr"],
    "exitCode": lambda output: output["exit"],
    "missingPaths": lambda output: [],
    "expectedPath": lambda output: "",
}
