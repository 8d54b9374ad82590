"""`signalbox user` and `signalbox token`: the people of this server, and tokens of the API."""

from __future__ import annotations

import argparse

from signalbox.help_texts import AddCommand
from workflows.rights.scopes import SCOPES

ACTIONS = {
    "list": "print all users",
    "add": "create a user",
    "link": "create a sign-in link",
    "reset": "remove password and second factor, and create a sign-in link",
    "deactivate": "refuse sign-in, and delete tokens and links",
    "activate": "allow sign-in again",
    "unlock": "delete the count of wrong passwords of this name",
}
LIFETIME = 90


def add(command: AddCommand) -> None:
    """Add both commands and their arguments."""
    user = command(
        "user",
        "List and change the users of this server.",
        exit_codes="0 · 2 an unknown user, or a change that is not possible",
        example="signalbox user add ada --staff",
    )
    about = "; ".join(f"{name}: {text}" for name, text in ACTIONS.items())
    user.add_argument("action", choices=ACTIONS, metavar="ACTION", help=about)
    user.add_argument("name", nargs="?", default="", metavar="NAME", help="all but list need it")
    user.add_argument("--staff", action="store_true", help="with add: an administrator")
    token = command(
        "token",
        "Create an API token, and print it alone on standard output.",
        exit_codes="0 · 2 an unknown user or scope",
        example="signalbox token add ci --user ada --scope read --scope run",
    )
    token.add_argument("action", choices=["add"], help="create a token")
    token.add_argument("name", metavar="NAME", help="its name in the list of tokens")
    token.add_argument("--user", required=True, metavar="NAME", help="the user whose rights it has")
    token.add_argument(
        "--scope", action="append", choices=SCOPES, required=True, help="can be repeated"
    )
    token.add_argument(
        "--days",
        type=int,
        default=LIFETIME,
        metavar="N",
        help=f"days until it expires, 0 for never; default: {LIFETIME}",
    )


def run(options: argparse.Namespace) -> int:
    """Carry out one change. Raises Trouble."""
    from signalbox.commands.people.changes import change

    change(options)
    return 0
