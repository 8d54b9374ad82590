"""Layered prompts: five blocks in a fixed order, the part of them that is sent, and their hashes.

The whole prompt is always logged, but not always sent: a session that continues does not repeat the
blocks that identify the model's role (agent-graph page, sections 2.1 to 2.3).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["full", "delta"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """The blocks of one prompt, not trimmed. Joining omits blank blocks."""

    system: str = ""
    role: str = ""
    mode: str = ""
    task: str = ""
    override: str = ""

    @property
    def full(self) -> str:
        """All five blocks."""
        return join_blocks(self.system, self.role, self.mode, self.task, self.override)

    @property
    def header(self) -> str:
        """The blocks that identify the model's role. They stay the same in a session."""
        return join_blocks(self.system, self.role)

    @property
    def delta(self) -> str:
        """The blocks of this turn."""
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
    """The blocks that are not blank, separated by blank lines."""
    return "\n\n".join(block for block in blocks if block.strip())


def text_hash(text: str) -> str:
    """SHA-256 of the UTF-8 text, in lower-case hexadecimal."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def kind_of(blocks: Blocks, *, sent: str, resumes: bool = True, lost: bool = False) -> Kind:
    """The part of the prompt that is sent. `sent` is the header hash of the last full prompt in
    this session, "" if there is none; `resumes`: the session lasts from turn to turn; `lost`: the
    session was lost, and its turns are sent again."""
    if lost or not resumes or not sent or sent != blocks.header_hash:
        return "full"
    return "delta"


def prompt_fields(blocks: Blocks, kind: Kind, turn: int) -> dict[str, Any]:
    """The fields of `prompt.logged`, for `AskModel.prompt`: the whole prompt, and the part that is
    sent if that is less."""
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
