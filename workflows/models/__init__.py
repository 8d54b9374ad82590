"""What is stored."""

from workflows.models.approvals import Approval
from workflows.models.connections import Connection
from workflows.models.packs import Agent, Blob, Pack, Revision, State, Transition
from workflows.models.people import SignInLink, Token
from workflows.models.runs import Artifact, Job, Run, RunEvent
from workflows.models.tools import Note, ToolBinding

__all__ = [
    "Agent",
    "Approval",
    "Artifact",
    "Blob",
    "Connection",
    "Job",
    "Note",
    "Pack",
    "Revision",
    "Run",
    "RunEvent",
    "SignInLink",
    "State",
    "Token",
    "ToolBinding",
    "Transition",
]
