"""Serializers of the API: they validate requests and describe responses. They hold no rules."""

from workflows.api.serializers.agents import *
from workflows.api.serializers.approvals import *
from workflows.api.serializers.common import *
from workflows.api.serializers.connections import *
from workflows.api.serializers.consequences import *
from workflows.api.serializers.conversions import *
from workflows.api.serializers.edits import *
from workflows.api.serializers.find import *
from workflows.api.serializers.graph import *
from workflows.api.serializers.history import *
from workflows.api.serializers.packs import *
from workflows.api.serializers.runs import *
from workflows.api.serializers.templates import *
from workflows.api.serializers.tokens import *
