"""A process that lists the branches of a repository without a credential.

Started by `test_git_credentials.py` where the home of this user has credentials. Arguments: the
address, a folder, and optionally the home that the operator names.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main(url: str, folder: Path, home: Path | None) -> None:
    from workflows.errors import RepositoryRefused
    from workflows.repos.addresses import address_of
    from workflows.repos.git import Git
    from workflows.repos.remote import Login, Remote

    named = {"home": home} if home else {}
    remote = Remote(
        address=address_of(url),
        login=Login(),
        private_hosts=("127.0.0.1",),
        known_hosts=folder / "known_hosts",
        **named,
    )
    try:
        print(remote.branches(Git(folder=folder)))
    except RepositoryRefused as refused:
        print("refused:", refused.message)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
