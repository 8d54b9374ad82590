"""Output for a terminal: colours, totals, help, version and completion."""

import io
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

from signalbox.arguments import parser
from signalbox.cli import main
from signalbox.commands.completion import commands_of
from tests.cli.conftest import PACK, with_target
from tests.support.live_server import ROOT

COMMANDS = commands_of(parser())


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, False),
    ],
)
def test_colours_follow_the_environment(cli, faulty, monkeypatch, variables, coloured):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[31merror\x1b[0m" in cli("check", faulty).out) is coloured
    assert "\x1b" not in cli("check", faulty, "--format", "json").out


def test_colours_do_not_let_a_pack_write_to_the_terminal(cli, write, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    pack = write("bad.pack.json", with_target("no\x1b[2Jwhere"))
    printed = cli("check", pack).out
    assert "\x1b[2J" not in printed
    assert "\x1b[31merror" in printed


def test_statistics_count_each_code(cli, faulty, write):
    write("other.pack.json", with_target("elsewhere"))
    lines = cli("check", ".", "--statistics").out.splitlines()
    counts = [int(line.split()[0]) for line in lines[:-1]]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 2
    packs = cli("check", ".", "--format", "json").json["packs"]
    assert sum(counts) == sum(len(pack["findings"]) for pack in packs)
    assert "nowhere" not in "".join(lines)


def test_quiet_prints_failing_findings_only(cli, faulty, write):
    printed = cli("check", faulty, "--quiet").out
    assert "nowhere" in printed
    assert not re.search(r": (hint|warning) |1 pack", printed)
    sound = cli("check", write("sound.pack.json", PACK), "-q")
    assert (sound.code, sound.out) == (0, "")
    assert cli("check", write("broken.pack.json", "{"), "-q").out != ""


def test_the_version_is_that_of_the_project(cli):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    result = cli("--version")
    assert (result.code, result.out) == (0, f"signalbox {project['version']}\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_exit_codes_and_an_example_that_can_be_read(cli, name):
    result = cli(name, "--help")
    assert result.code == 0
    assert "exit codes: 0" in result.out
    example = result.out.split("example:\n  ")[1].split(" > ")[0].split()
    assert example[:2] == ["signalbox", name]
    parser().parse_args(example[1:])


def completed(script, *words):
    """The words that bash offers for a line."""
    line = " ".join(f"'{word}'" for word in words)
    probe = (
        f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _signalbox; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{probe}"], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_completes_commands_options_and_values(cli):
    script = cli("completion", "bash").out
    assert completed(script, "signalbox", "ch") == ["check"]
    assert set(completed(script, "signalbox", "")) == set(COMMANDS)
    assert completed(script, "signalbox", "check", "--write") == ["--write-baseline"]
    assert completed(script, "signalbox", "check", "--format", "j") == ["json"]
    assert completed(script, "signalbox", "completion", "f") == ["fish"]
    assert completed(script, "signalbox", "check", "packs") == []


def test_zsh_uses_the_same_words(cli):
    script = cli("completion", "zsh").out
    assert script.endswith(cli("completion", "bash").out)
    assert "bashcompinit" in script


def test_fish_has_a_line_for_each_option(cli):
    lines = cli("completion", "fish").out.splitlines()
    assert any("from check'" in line and "-l since -d" in line for line in lines)
    options = sum(
        bool(action.option_strings or action.choices)
        for command in COMMANDS.values()
        for action in command._actions
    )
    assert len(lines) == options + len(COMMANDS)
    assert all(line.count("'") % 2 == 0 for line in lines if "\\'" not in line)


def test_an_unknown_shell_is_refused(cli):
    assert cli("completion", "tcsh").code == 2


FOR_PROGRAMS = [
    *(["check", "--format", one] for one in ("json", "sarif", "github", "markdown")),
    *(["graph", "--format", one] for one in ("json", "mermaid", "dot")),
    ["rehearse", "--json"],
]


@pytest.mark.parametrize("command", FOR_PROGRAMS, ids=" ".join)
def test_output_for_programs_is_utf_8_in_every_locale(write, command, monkeypatch):
    body = PACK if command[0] == "rehearse" else with_target("stärt 承認")
    pack = write("a.pack.json", {**body, "name": "Größe 承認"})
    outputs = set()
    for encoding in ("utf-8", "latin-1", "ascii"):
        written = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
        main([command[0], str(pack), *command[1:]])
        sys.stdout.flush()
        outputs.add(written.getvalue())
    assert len(outputs) == 1
    assert outputs.pop().decode("utf-8").strip()
