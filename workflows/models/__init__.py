"""Database models."""

from workflows.models.approvals import Approval
from workflows.models.audit import AuditEntry
from workflows.models.connections import Connection, ModelChoice
from workflows.models.installation import Milestone, WorkerHeartbeat
from workflows.models.mcp_servers import McpServer
from workflows.models.notices import ApprovalNotice, NotificationChannel
from workflows.models.packs import (
    Agent,
    Blob,
    Favourite,
    FolderConflict,
    Pack,
    Revision,
    State,
    SyncPoint,
    Transition,
)
from workflows.models.people import SignInLink, Token
from workflows.models.repositories import (
    Change,
    ChangeCommit,
    Repository,
    RepositoryTask,
    TrackedPack,
)
from workflows.models.run_marks import RunFilter, RunScore, RunTag
from workflows.models.run_trials import RunTrial
from workflows.models.runs import Artifact, Job, Run, RunEvent
from workflows.models.templates import RoleTemplate
from workflows.models.tools import Note, ToolBinding
from workflows.models.triggers import Firing, Trigger

__all__ = [
    "Agent",
    "Approval",
    "ApprovalNotice",
    "Artifact",
    "AuditEntry",
    "Blob",
    "Change",
    "ChangeCommit",
    "Connection",
    "Favourite",
    "Firing",
    "FolderConflict",
    "Job",
    "McpServer",
    "Milestone",
    "ModelChoice",
    "Note",
    "NotificationChannel",
    "Pack",
    "Repository",
    "RepositoryTask",
    "Revision",
    "RoleTemplate",
    "Run",
    "RunEvent",
    "RunFilter",
    "RunScore",
    "RunTag",
    "RunTrial",
    "SignInLink",
    "State",
    "SyncPoint",
    "Token",
    "ToolBinding",
    "TrackedPack",
    "Transition",
    "Trigger",
    "WorkerHeartbeat",
]
