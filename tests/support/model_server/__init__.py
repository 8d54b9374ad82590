"""A model server on loopback: it implements the HTTP protocols of the providers, returns the
answers that a test scripted, and fails in every way that providers do."""

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
