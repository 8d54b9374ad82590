"""Layered prompts: five blocks in a fixed order, what of them goes over the wire, and their hashes.

What is sent is not always the whole prompt: in a session that goes on, the blocks that say who the
model is need not be said again. What is logged always has the whole prompt (agent-graph page,
sections 2.1 to 2.3).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["full", "delta"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """The blocks of one prompt, each as it is: nothing is trimmed. A block that is blank is left
    out of what they are joined to."""

    system: str = ""
    role: str = ""
    mode: str = ""
    task: str = ""
    override: str = ""

    @property
    def full(self) -> str:
        """All five."""
        return join_blocks(self.system, self.role, self.mode, self.task, self.override)

    @property
    def header(self) -> str:
        """Who the model is: the part that stays the same through a session."""
        return join_blocks(self.system, self.role)

    @property
    def delta(self) -> str:
        """What there is to do in this turn."""
        return join_blocks(self.mode, self.task, self.override)

    @property
    def hash(self) -> str:
        """SHA-256 of the full prompt."""
        return text_hash(self.full)

    @property
    def header_hash(self) -> str:
        """SHA-256 of system, a blank line and role, whether or not one of them is blank."""
        return text_hash(f"{self.system}\n\n{self.role}")

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of each block, "" of a blank one."""
        return {
            name: text_hash(text) if text.strip() else "" for name, text in asdict(self).items()
        }

    def to_json(self) -> dict[str, str]:
        return asdict(self)


def join_blocks(*blocks: str) -> str:
    """The blocks with a blank line between them, without those that are blank."""
    return "\n\n".join(block for block in blocks if block.strip())


def text_hash(text: str) -> str:
    """SHA-256 of the UTF-8 text, in small hexadecimal letters."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def kind_of(blocks: Blocks, *, sent: str, resumes: bool = True, lost: bool = False) -> Kind:
    """What goes over the wire. `sent` is the header hash of the last full prompt in this session,
    "" where nothing was sent yet; `resumes`: the session is kept from turn to turn; `lost`: it
    broke off, and what was said is replayed."""
    if lost or not resumes or not sent or sent != blocks.header_hash:
        return "full"
    return "delta"


def prompt_fields(blocks: Blocks, kind: Kind, turn: int) -> dict[str, Any]:
    """The fields of `prompt.logged`: the whole prompt in any case, and what really goes over the
    wire where that is less. For `AskModel.prompt`."""
    wire = {"wire_text": blocks.delta} if kind == "delta" else {}
    return {
        "text": blocks.full,
        "hash": blocks.hash,
        "header_hash": blocks.header_hash,
        "kind": kind,
        "blocks": blocks.to_json(),
        "block_hashes": blocks.hashes,
        "turn": turn,
        **wire,
    }
