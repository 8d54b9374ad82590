"""Values that extractors read from a failed command's output (section 1.8)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Output = dict[str, Any]
TYPE_ERROR = re.compile(r"(?m)^\s*(?:at )?(?:file://)?(\S+\.tsx?):(\d+)(?::(\d+))?")
TSC_ERROR = re.compile(r"^\s*(\S+\.tsx?)\((\d+),(\d+)\):\s*(.+)$")
LINT_ERROR = re.compile(
    r"(?m)^(?:error|warning)\[([\w/-]+)\]:?\s*(.*)\n(?:.*\n){0,2}?"
    r"\s*(?:-->|at)\s+(?:file://)?(\S+?):(\d+)(?::(\d+))?"
)
FILE_END = re.compile(r"\.tsx?(?=[(:]\d)")
FAILED = re.compile(
    r"(?m)^[ \t]*FAILED[ \t]*\|[ \t]*(.+)$|^(\S+\.ts) \.\.\. .*FAILED|(AssertionError: .+)"
)
FORMATTED = (".ts", ".tsx", ".js", ".jsx", ".json", ".md")


def extract(name: str, output: Output) -> Any:
    """The value of one extractor; None for an unknown name."""
    function = EXTRACTORS.get(name)
    return function(output) if function is not None else None


def _lines(output: Output) -> list[str]:
    return [line for line in str(output["stdout"]).split("\n") if len(line) > 3]


def _porcelain(keep: Callable[[str], bool]) -> Callable[[Output], list[str]]:
    return lambda output: [line[3:].strip() for line in _lines(output) if keep(line)]


def _type_errors(output: Output) -> list[dict[str, Any]]:
    """Locations in stderr with their messages: on the same line for tsc, on the line before for
    deno."""
    errors = []
    before = ""
    for line in str(output["stderr"]).split("\n"):
        if match := TSC_ERROR.match(line):
            errors.append(_placed(match[1], match[2], match[3], match[4]))
        elif match := TYPE_ERROR.match(line):
            errors.append(_placed(match[1], match[2], match[3], before or line.strip()))
        before = line.strip() or before
    return errors


def _placed(file: str, line: str, column: str | None, message: str) -> dict[str, Any]:
    place: dict[str, Any] = {"file": file, "line": int(line)}
    return {**place, **({"column": int(column)} if column else {}), "message": message.strip()}


def _files(output: Output) -> list[str]:
    words = f"{output['stderr']}\n{output['stdout']}".split()
    names = dict.fromkeys(name for word in words if (name := _file_name(word)))
    return [name for name in names if "node_modules" not in name]


def _file_name(word: str) -> str:
    """The text before the last line number after a file ending; "" without one."""
    ends = [match.end() for match in FILE_END.finditer(word) if match.start()]
    return word[: ends[-1]] if ends else ""


def _tests(output: Output) -> list[dict[str, Any]]:
    text = f"{output['stdout']}\n{output['stderr']}"
    failures = []
    for match in FAILED.finditer(text):
        name = next(part for part in match.groups() if part)
        failures.append({"name": name.strip(), "error": match[0].strip()})
    return failures


def _lint(output: Output) -> list[dict[str, Any]]:
    """Findings of a linter: `error[rule]: message`, with the location on a later line."""
    text = f"{output['stderr']}\n{output['stdout']}"
    problems = [
        {**_placed(match[3], match[4], match[5], match[2]), "rule": match[1]}
        for match in LINT_ERROR.finditer(text)
    ]
    return problems or [{**item, "rule": ""} for item in _type_errors(output)]


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
