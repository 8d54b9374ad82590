"""`python -m signalbox.gitlab_comment FILE`: write one comment on a merge request of GitLab, or
update the one that an earlier check wrote.

The job's variables name the merge request. SIGNALBOX_TOKEN is an access token with the scope `api`,
because GitLab's own token of a job cannot write comments.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from signalbox.commands.markdown import MARK

TIMEOUT = 30
A_PAGE = 100


def main(arguments: list[str], variables: Mapping[str, str]) -> int:
    """Exit 0 also where GitLab cannot be reached: the exit code of the job is the check's."""
    body = Path(arguments[0]).read_text()
    try:
        write_comment(body, variables)
    except HTTPError as refused:
        print(f"GitLab refused the comment: {refused.code} {refused.reason}.", file=sys.stderr)
    except URLError as error:
        print(f"GitLab cannot be reached: {error.reason}.", file=sys.stderr)
    return 0


def write_comment(body: str, variables: Mapping[str, str]) -> None:
    """Create the comment, or replace the text of the earlier one. Raises URLError."""
    api, token = variables["CI_API_V4_URL"], variables["SIGNALBOX_TOKEN"]
    project, number = variables["CI_PROJECT_ID"], variables["CI_MERGE_REQUEST_IID"]
    notes = f"{api}/projects/{project}/merge_requests/{number}/notes"
    mine = _call("GET", f"{api}/user", token)["id"]
    earlier = next(
        (
            note["id"]
            for note in _notes(notes, token)
            if note["author"]["id"] == mine and note["body"].startswith(MARK)
        ),
        None,
    )
    if earlier is None:
        _call("POST", notes, token, {"body": body})
    else:
        _call("PUT", f"{notes}/{earlier}", token, {"body": body})


def _notes(address: str, token: str) -> Iterator[dict[str, Any]]:
    page = 1
    while notes := _call("GET", f"{address}?per_page={A_PAGE}&page={page}", token):
        yield from notes
        page += 1


def _call(method: str, address: str, token: str, body: dict[str, str] | None = None) -> Any:
    headers = {"PRIVATE-TOKEN": token, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = Request(address, data, headers, method=method)
    with urlopen(request, timeout=TIMEOUT) as answer:
        return json.load(answer)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:], os.environ))
