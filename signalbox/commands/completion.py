"""`signalbox completion`: scripts that complete commands, options and values in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from signalbox.commands.errors import OK

BASH = """\
_signalbox() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{commands}'
  else
    case "${{COMP_WORDS[1]}} $previous" in
{values}
    esac
    case "${{COMP_WORDS[1]}} $current" in
{options}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _signalbox signalbox
"""
ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"


def run(options: argparse.Namespace) -> int:
    """Print the script for one shell."""
    from signalbox.arguments import parser

    commands = commands_of(parser())
    match options.shell:
        case "fish":
            print("\n".join(fish(commands)))
        case shell:
            print((ZSH if shell == "zsh" else "") + bash(commands), end="")
    return OK


def commands_of(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The subcommands of a parser by name."""
    (commands,) = (
        action for action in top._actions if isinstance(action, argparse._SubParsersAction)
    )
    return dict(commands.choices)


def bash(commands: dict[str, argparse.ArgumentParser]) -> str:
    """A completion function that bash and zsh share."""
    values, options = [], []
    for name, command in commands.items():
        for action in command._actions:
            if action.choices:
                choices = " ".join(map(str, action.choices))
                for option in action.option_strings or [name]:
                    values.append(f"      '{name} {option}') words='{choices}' ;;")
        names = " ".join(option for action in command._actions for option in action.option_strings)
        options.append(f"      '{name} -'*) words='{names}' ;;")
    return BASH.format(
        commands=" ".join(commands), values="\n".join(values), options="\n".join(options)
    )


def fish(commands: dict[str, argparse.ArgumentParser]) -> Iterator[str]:
    """One line of fish for each command and each option."""
    for name, command in commands.items():
        about = _quoted(command.description or "")
        yield f"complete -c signalbox -n __fish_use_subcommand -x -a {name} -d {about}"
        for action in command._actions:
            here = f"complete -c signalbox -n '__fish_seen_subcommand_from {name}'"
            if action.choices:
                here += f" -x -a {_quoted(' '.join(map(str, action.choices)))}"
            elif action.option_strings and action.nargs != 0:
                here += " -r"
            for option in action.option_strings:
                here += f" -l {option[2:]}" if option.startswith("--") else f" -s {option[1:]}"
            if action.option_strings or action.choices:
                yield f"{here} -d {_quoted(action.help or '')}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
