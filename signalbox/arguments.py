"""Arguments of the `signalbox` command: one parser per subcommand. Those of a command that is a
folder of `signalbox.commands` are in that folder, which is found by being there."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from signalbox.help_texts import EXAMPLES, EXIT_CODES, ending
from workflows.core.plugins import packages_of

MOST_DAYS = 36_500
INPUT_HELP = "an input of the pack, or an option such as promptpack.prompt=NAME"


class _Version(argparse.Action):
    """Print the version, which is looked up on use only."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        from workflows.installation import version

        print(f"signalbox {version()}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = argparse.ArgumentParser(
        prog="signalbox",
        description="See, edit, check, rehearse and run agent workflows.",
        epilog="Every server has the documentation under /help/, such as that of `signalbox open`.",
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_check(commands)
    _add_graph(commands)
    _add_diff(commands)
    _add_edit(commands)
    _add_merge(commands)
    _add_schema(commands)
    _add_run(commands)
    _add_rehearse(commands)
    _add_verify(commands)
    _add_server(commands)
    _add_backups(commands)
    shells = _command(commands, "completion", "completion", "Print a completion script.")
    shells.add_argument("shell", metavar="SHELL", choices=["bash", "zsh", "fish"])
    for folder in packages_of("signalbox.commands"):
        folder.add(partial(_command_in_folder, commands, folder.__name__.rpartition(".")[2]))
    return top


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    module: str,
    about: str,
    end: str = "",
) -> argparse.ArgumentParser:
    added = commands.add_parser(
        name,
        help=about,
        description=about,
        epilog=end or ending(EXIT_CODES[name], EXAMPLES[name]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    added.set_defaults(module=module)
    return added


def _command_in_folder(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    module: str,
    name: str,
    about: str,
    *,
    exit_codes: str,
    example: str,
) -> argparse.ArgumentParser:
    """A command of a folder of `signalbox.commands`."""
    return _command(commands, name, module, about, ending(exit_codes, example))


def _output(text: str) -> tuple[str, Path]:
    """A format and the file that gets it."""
    format, _, file = text.partition("=")
    if format not in ("json", "sarif", "github", "markdown") or not file:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not json, sarif, github or markdown, with = and a file"
        )
    return format, Path(file)


def _add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    added = _command(commands, "check", "check", "Print the findings of packs.")
    added.add_argument(
        "paths",
        nargs="*",
        default=["."],
        metavar="PATH",
        help="a folder, any file of a pack, or - for stdin",
    )
    added.add_argument(
        "--format", choices=["text", "json", "sarif", "github", "markdown"], default="text"
    )
    added.add_argument(
        "--output",
        action="append",
        default=[],
        type=_output,
        metavar="FORMAT=FILE",
        help="also write json, sarif, github or markdown to a file; can be repeated",
    )
    added.add_argument("--profile", help="how to read the format where readings differ")
    added.add_argument(
        "--fail-on",
        choices=["error", "warning", "never"],
        help="the mildest finding that makes the exit code 1; default: error",
    )
    added.add_argument(
        "--select",
        action="append",
        default=[],
        metavar="CODES",
        help="only findings whose code begins like this, such as SR,GR101",
    )
    added.add_argument(
        "--ignore", action="append", default=[], metavar="CODES", help="leave these findings out"
    )
    added.add_argument(
        "--own-profile", action="store_true", help="leave out hints about other profiles"
    )
    _add_config(added)
    _add_junit(added)
    _add_baseline(added)
    added.add_argument(
        "--since", metavar="REV", help="only packs with files that changed since a git revision"
    )
    added.add_argument(
        "--skip-unknown", action="store_true", help="skip files that belong to no pack"
    )
    added.add_argument("--stdin", action="store_true", help="check one pack from standard input")
    added.add_argument(
        "--max-agents", type=int, metavar="N", help="fail if a run can start more agents"
    )
    added.add_argument(
        "--assume",
        action="append",
        default=[],
        metavar="NAME=N",
        help="a number for an unknown of the worst case, such as claims=20",
    )
    added.add_argument(
        "--rehearse", action="store_true", help="report the coverage too; see [rehearse]"
    )
    added.add_argument(
        "--verify", action="store_true", help="verify the recorded runs in [verify.runs] too"
    )
    added.add_argument(
        "--fix", action="store_true", help="first apply the fixes that change no behaviour"
    )
    added.add_argument(
        "--statistics", action="store_true", help="print the number of findings of each code only"
    )
    added.add_argument(
        "-q", "--quiet", action="store_true", help="print only findings that fail, and no totals"
    )


def _add_baseline(added: argparse.ArgumentParser) -> None:
    added.add_argument(
        "--baseline",
        metavar="FILE",
        help="findings in this file are known and do not fail; default: .signalbox-baseline.json",
    )
    added.add_argument(
        "--write-baseline", action="store_true", help="write the present findings to the baseline"
    )
    added.add_argument("--no-baseline", action="store_true", help="report known findings too")


def _add_graph(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    added = _command(commands, "graph", "graph", "Print a pack's states and transitions.")
    added.add_argument("path", metavar="PATH", help="a file, or a folder with one pack")
    added.add_argument("--format", choices=["json", "mermaid", "dot"], default="json")
    added.add_argument("--profile", help="how to read the format where readings differ")


def _add_diff(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    added = _command(commands, "diff", "diff", "Compare two versions of a pack.")
    added.add_argument(
        "before", metavar="A", help="a file, a folder, - for stdin, or git revisions as REV..REV"
    )
    added.add_argument(
        "after",
        nargs="?",
        metavar="B",
        help="the version to compare it with; for revisions, the folder or pack to compare",
    )
    added.add_argument("--format", choices=["text", "json", "svg"], default="text")


def _add_edit(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    added = _command(commands, "edit", "edit", "Apply edits to a pack's files.")
    added.add_argument("path", metavar="PATH", help="a file, or a folder with one pack")
    added.add_argument("--edits", required=True, metavar="FILE", help="a JSON list of edits, or -")
    added.add_argument("-o", "--output", metavar="DIR", help="write here instead of in place")
    added.add_argument(
        "--dry-run", action="store_true", help="write nothing, and print what the edits would cause"
    )
    added.add_argument("--profile", help="how to read the format where readings differ")
    added.add_argument("--json", action="store_true", help="with --dry-run, as JSON")


def _add_merge(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    added = _command(commands, "merge", "merge", "Merge two versions of a file, for git.")
    added.add_argument("base", metavar="BASE", help="the common version (%%O)")
    added.add_argument("ours", metavar="OURS", help="our version, which is replaced (%%A)")
    added.add_argument("theirs", metavar="THEIRS", help="their version (%%B)")
    added.add_argument("--path", help="the file's path in the repository (%%P)")
    added.add_argument(
        "--marker-size", type=int, default=7, metavar="N", help="length of the markers (%%L)"
    )


def _add_schema(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    added = _command(commands, "schema", "schema", "Write JSON Schemas of the formats for editors.")
    added.add_argument("dialect", nargs="?", metavar="DIALECT", help="default: all, with -o")
    added.add_argument("-o", "--output", metavar="DIR", help="write files here, with settings")


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    added = _command(commands, "run", "run", "Run a pack without a server.")
    added.add_argument("path", metavar="PATH", help="a file, or a folder with one pack")
    added.add_argument("--driver", metavar="NAME", help="rehearsal, script, manual or model")
    added.add_argument(
        "--model",
        default="",
        metavar="NAME",
        help="with --driver model, instead of the pack's, such as sonnet or openai:gpt-6-luna",
    )
    added.add_argument(
        "--model-name",
        action="append",
        default=[],
        metavar="NAME=MODEL",
        help="model for a name that the pack uses, such as sonnet=gpt-6-luna",
    )
    added.add_argument("--script", metavar="FILE", help="replies, command results and answers")
    added.add_argument("--input", action="append", default=[], metavar="K=V", help=INPUT_HELP)
    added.add_argument("--input-file", metavar="FILE", help="a JSON object of inputs")
    added.add_argument("--profile", help="how to read the format where readings differ")
    added.add_argument(
        "--mode",
        choices=["PLANNING", "IMPLEMENTATION"],
        help="in PLANNING commands are not run and files are written below docs/ only",
    )
    added.add_argument(
        "--max-steps",
        type=_positive,
        default=1_000,
        metavar="N",
        help="end after N answers; default: 1000",
    )
    added.add_argument(
        "--max-cost", type=_amount, metavar="USD", help="end the run when its model calls cost this"
    )
    added.add_argument(
        "--max-tokens", type=_positive, metavar="N", help="end the run when it has used N tokens"
    )
    added.add_argument(
        "--price",
        type=_price,
        metavar="IN,OUT",
        help="USD per million tokens read and written, for models without a published price",
    )
    added.add_argument("--deny", action="store_true", help="unattended: deny every approval")
    added.add_argument(
        "--seed", type=int, default=1, metavar="S", help="seed of generated answers; default: 1"
    )
    added.add_argument(
        "--workspace",
        default="",
        metavar="PLACE",
        help="a folder, or git:REF for a work tree of this repository; default: a copy of the pack",
    )
    added.add_argument(
        "--allow-commands", action="store_true", help="run the commands of the pack and its tools"
    )
    added.add_argument(
        "--allow-tool",
        action="append",
        default=[],
        metavar="NAME",
        help="approve the calls of this tool in this run",
    )
    added.add_argument(
        "--tool",
        action="append",
        default=[],
        metavar="NAME=KIND",
        help="bind a tool: files, command, http, mcp, canned or person, and settings as JSON",
    )
    added.add_argument(
        "--mcp",
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        help="an MCP server that is started for tools named mcp__NAME__…",
    )
    added.add_argument(
        "--keep-branch", default="", metavar="NAME", help="keep the changes as a branch"
    )
    added.add_argument("--result", metavar="FILE", help="write the result as JSON")
    added.add_argument("--junit", metavar="FILE", help="write the result as JUnit XML")
    added.add_argument(
        "--log", metavar="FILE", help="write events to FILE, and continue the run that it has"
    )
    added.add_argument("--json", action="store_true", help="one event per line")


def _add_rehearse(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    added = _command(
        commands, "rehearse", "rehearse", "Walk through a pack many times without a model."
    )
    added.add_argument("path", metavar="PATH", help="a file or a folder with packs")
    added.add_argument(
        "--runs", type=_positive, default=50, metavar="N", help="runs to rehearse; default: 50"
    )
    added.add_argument(
        "--seed", type=int, default=1, metavar="S", help="seed of generated answers; default: 1"
    )
    added.add_argument("--input", action="append", default=[], metavar="K=V", help=INPUT_HELP)
    added.add_argument("--input-file", metavar="FILE")
    added.add_argument("--profile", help="how to read the format where readings differ")
    added.add_argument(
        "--min-coverage",
        type=_percentage,
        metavar="N",
        help="required percentage of transitions; default: all of them",
    )
    added.add_argument(
        "--allow-gap",
        action="append",
        default=[],
        metavar="TRANSITION",
        help="a transition that no run has to take, as source|label|target",
    )
    _add_config(added)
    _add_junit(added)
    added.add_argument("--json", action="store_true")


def _add_verify(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    added = _command(
        commands,
        "verify",
        "verify",
        "Check recorded runs against a pack and report the first divergence.",
    )
    added.add_argument(
        "path", nargs="?", metavar="PACK", help="default: the packs in [verify.runs]"
    )
    added.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="events as `run --json` prints them, a script, or a folder of these; "
        "default: those in [verify.runs]",
    )
    added.add_argument("--profile", help="how to read the format where readings differ")
    added.add_argument("--format", choices=["text", "json"], default="text")
    added.add_argument(
        "--accept",
        action="store_true",
        help="replace runs that diverge by those of the pack with the recorded answers",
    )
    _add_config(added)
    _add_junit(added)


def _add_config(added: argparse.ArgumentParser) -> None:
    added.add_argument(
        "--config", metavar="FILE", help="settings, instead of the nearest .signalbox.toml"
    )


def _add_junit(added: argparse.ArgumentParser) -> None:
    added.add_argument("--junit", metavar="FILE", help="write the result as JUnit XML")


def _add_server(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    serve = _command(commands, "serve", "server", "Serve the app, with an embedded worker.")
    serve.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; default: 127.0.0.1"
    )
    serve.add_argument("--port", type=_port, default=8000, help="0 for any free port")
    opens = _command(
        commands, "open", "open", "Open the packs of a folder on the canvas and save to its files."
    )
    opens.add_argument("path", nargs="?", default=".", metavar="PATH", help="default: this folder")
    opens.add_argument("--port", type=_port, default=0, help="default: any free port")
    opens.add_argument("--no-browser", action="store_true", help="only print the sign-in link")
    opens.add_argument(
        "--save-layout",
        action="store_true",
        help="write positions, sizes and notes of states to .signalbox/layout/",
    )
    works = _command(commands, "worker", "server", "Take runs from the queue until stopped.")
    works.add_argument(
        "--at-once", type=_positive, default=5000, metavar="N", help="maximum number of runs held"
    )
    works.add_argument(
        "--metrics", default="", metavar="[HOST:]PORT", help="serve Prometheus metrics there"
    )
    taken = _command(commands, "import", "server", "Import packs into the server's database.")
    taken.add_argument("path", metavar="PATH", help="a file, or a folder with packs")
    taken.add_argument(
        "--separate",
        action="store_true",
        help="make a new pack even if one was imported from this path of a git repository",
    )
    export = _command(commands, "export", "server", "Export a pack from the server's database.")
    export.add_argument("pack", metavar="PACK", help="a pack's number or name")
    export.add_argument("--to", required=True, metavar="DIR")
    export.add_argument(
        "--force",
        action="store_true",
        help="overwrite existing files, and delete those that the pack no longer has",
    )
    pruned = _command(commands, "prune", "server", "Delete old runs from the server's database.")
    pruned.add_argument("--days", type=_days, metavar="N", help="instead of the server's setting")
    pruned.add_argument("--dry-run", action="store_true", help="only print what would be deleted")


def _add_backups(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    made = _command(commands, "backup", "backups", "Write a backup while the server runs.")
    made.add_argument("file", metavar="FILE", help="a new file, such as signalbox.zip")
    made.add_argument(
        "--without-key",
        action="store_true",
        help="leave the secret key out; stored secrets are lost without it",
    )
    made.add_argument(
        "--without-workspaces", action="store_true", help="leave the workspaces of runs out"
    )
    made.add_argument(
        "--mirrors",
        action="store_true",
        help="include the mirrors of repositories, which are otherwise fetched again",
    )
    restored = _command(
        commands, "restore", "backups", "Restore a backup into this server's database and folder."
    )
    restored.add_argument("file", metavar="FILE", help="a file of signalbox backup")
    restored.add_argument(
        "--force",
        action="store_true",
        help="replace existing content; an SQLite database and files are moved aside",
    )
    moved = _command(
        commands, "move", "backups", "Copy the database from SQLite to PostgreSQL, or back."
    )
    moved.add_argument(
        "--to",
        required=True,
        metavar="ADDRESS",
        help="postgresql://… of an empty database, or sqlite for the file in the data folder",
    )
    moved.add_argument("--force", action="store_true", help="replace a database with content")
    keys = _command(commands, "keys", "backups", "Replace the secret key.")
    keys.add_argument(
        "action", choices=["rotate"], help="encrypt all stored secrets with a new key"
    )


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, which is 0 to 65535")
    return int(text)


def _days(text: str) -> int:
    days = _positive(text)
    if days > MOST_DAYS:
        raise argparse.ArgumentTypeError(f"{text!r} days are more than a hundred years")
    return days


def _percentage(text: str) -> float:
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = -1
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 100")
    return number


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0")
    return value


def _price(text: str) -> dict[str, float]:
    """The price that a connection stores."""
    parts = text.split(",")
    if len(parts) != 2:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form IN,OUT")
    return {"input": _amount(parts[0].strip()), "output": _amount(parts[1].strip())}


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)
