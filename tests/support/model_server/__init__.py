"""A model's server on this machine, real but for the model: it speaks what providers speak over
HTTP, says what the test wrote down, and misbehaves in every way that providers do."""

from tests.support.model_server.answers import Answer, CutOff, Fails, Hangs, Held, Raw, Says
from tests.support.model_server.server import Asked, ModelServer

__all__ = ["Answer", "Asked", "CutOff", "Fails", "Hangs", "Held", "ModelServer", "Raw", "Says"]
