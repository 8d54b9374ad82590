"""Database models."""

from workflows.models.approvals import *
from workflows.models.audit import *
from workflows.models.connections import *
from workflows.models.installation import *
from workflows.models.mcp_servers import *
from workflows.models.notices import *
from workflows.models.packs import *
from workflows.models.people import *
from workflows.models.proposals import *
from workflows.models.repositories import *
from workflows.models.run_marks import *
from workflows.models.run_trials import *
from workflows.models.runs import *
from workflows.models.templates import *
from workflows.models.tools import *
from workflows.models.triggers import *
