"""Five blocks, how they are joined, and what of them is sent."""

from hashlib import sha256

from tests.support.checks import each_row
from workflows.core.engine.effect_events import request_events
from workflows.core.engine.effects import AskModel, effect_from_json
from workflows.core.prompts.blocks import Blocks, kind_of, prompt_fields

BLOCKS = Blocks(system="S", role="R\n", mode="M", task="T", override="O")


def test_blocks_are_joined_in_order_and_nothing_is_trimmed():
    assert BLOCKS.full == "S\n\nR\n\n\nM\n\nT\n\nO"
    assert BLOCKS.header == "S\n\nR\n"
    assert BLOCKS.delta == "M\n\nT\n\nO"


@each_row(["", "   ", "\n\t "])
def test_blank_blocks_are_left_out(blank):
    blocks = Blocks(system="S", role=blank, mode="M", task="T", override=blank)
    assert blocks.full == "S\n\nM\n\nT"
    assert blocks.delta == "M\n\nT"


def test_hashes_are_those_of_the_text():
    assert BLOCKS.hash == sha256(BLOCKS.full.encode()).hexdigest()
    assert BLOCKS.header_hash == sha256(b"S\n\nR\n").hexdigest()
    assert Blocks(system="S").header_hash == sha256(b"S\n\n").hexdigest()


def test_text_that_is_no_utf_8_has_a_hash_too():
    assert len(Blocks(task="\ud800").hash) == 64


@each_row(
    [
        ({"sent": ""}, "full"),
        ({"sent": BLOCKS.header_hash}, "delta"),
        ({"sent": BLOCKS.header_hash, "lost": True}, "full"),
        ({"sent": BLOCKS.header_hash, "resumes": False}, "full"),
        ({"sent": Blocks(system="S", role="other").header_hash}, "full"),
        ({"sent": Blocks(system="S", role="R\n", mode="other").header_hash}, "delta"),
    ]
)
def test_the_kind_of_a_sent_prompt(said, kind):
    assert kind_of(BLOCKS, **said) == kind


def test_a_delta_is_logged_with_the_whole_prompt():
    said = prompt_fields(BLOCKS, "delta", 3)
    assert said["text"] == BLOCKS.full
    assert said["wire_text"] == BLOCKS.delta
    assert (said["kind"], said["turn"], said["hash"]) == ("delta", 3, BLOCKS.hash)
    assert said["blocks"] == {
        "system": "S",
        "role": "R\n",
        "mode": "M",
        "task": "T",
        "override": "O",
    }
    assert "wire_text" not in prompt_fields(BLOCKS, "full", 1)


def test_a_layered_prompt_is_logged_once_before_the_model_call():
    effect = AskModel(
        key="0:1", position="0", state="lead", system="S", prompt=prompt_fields(BLOCKS, "full", 1)
    )
    (logged, prompt), (asked, request) = request_events(effect)
    assert (logged, asked) == ("prompt.logged", "model.asked")
    assert prompt["blocks"]["role"] == "R\n"
    assert prompt["key"] == "0:1"
    assert effect_from_json(request["effect"]).prompt == {}
