"""A model's server on this machine, real but for the model: it speaks what providers speak over
HTTP, says what the test wrote down, and misbehaves in every way that providers do."""

from tests.support.model_server.answers import (
    Answer,
    CutOffReply,
    ErrorReply,
    HeldReply,
    NoReply,
    RawReply,
    TextReply,
)
from tests.support.model_server.server import ModelRequest, ModelServer

__all__ = [
    "Answer",
    "CutOffReply",
    "ErrorReply",
    "HeldReply",
    "ModelRequest",
    "ModelServer",
    "NoReply",
    "RawReply",
    "TextReply",
]
