"""Database models."""

from workflows.models.approvals import Approval
from workflows.models.connections import Connection, ModelChoice
from workflows.models.packs import Agent, Blob, Pack, Revision, State, Transition
from workflows.models.people import SignInLink, Token
from workflows.models.runs import Artifact, Job, Run, RunEvent
from workflows.models.templates import RoleTemplate
from workflows.models.tools import Note, ToolBinding
from workflows.models.triggers import Firing, Trigger

__all__ = [
    "Agent",
    "Approval",
    "Artifact",
    "Blob",
    "Connection",
    "Firing",
    "Job",
    "ModelChoice",
    "Note",
    "Pack",
    "Revision",
    "RoleTemplate",
    "Run",
    "RunEvent",
    "SignInLink",
    "State",
    "Token",
    "ToolBinding",
    "Transition",
    "Trigger",
]
