"""A forge on loopback with the APIs of GitHub, GitLab and Gitea over real bare repositories,
which git clones, fetches and pushes over HTTP.

    with ForgeServer(tmp_path) as server:
        project = server.add("github", "team/packs", {"a.txt": b"one\\n"})
        token = server.add_token()
        # git clone project.url; an API at server.api_url("github")
        project.merge(1, "squash")
"""

from tests.support.forge_server.access import Access, App
from tests.support.forge_server.projects import MergeConflict, Project, Pull
from tests.support.forge_server.requests import ApiAnswer, ForgeRequest
from tests.support.forge_server.server import ForgeServer
from tests.support.forge_server.webhooks import Delivery

__all__ = [
    "Access",
    "ApiAnswer",
    "App",
    "Delivery",
    "ForgeRequest",
    "ForgeServer",
    "MergeConflict",
    "Project",
    "Pull",
]
