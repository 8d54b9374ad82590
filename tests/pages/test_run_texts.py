"""Texts of runs on server pages. `reasonText.test.ts` has the same cases for the canvas."""

import pytest

from workflows.templatetags.runs import reason_text, status_text


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("max_model_calls 3 reached limit 3", "3 model calls; the limit is 3"),
        ("max_wall_time_sec 90 reached limit 60", "90 s; the limit is 60 s"),
        ("max_cost 0.75 reached limit 0.5", "$0.75; the limit is $0.5"),
        (
            "Stopped: max_tokens 1e+06 reached limit 1e+06",
            "Stopped: 1e+06 tokens; the limit is 1e+06",
        ),
        ("max_llamas 3 reached limit 3", "max_llamas 3 reached limit 3"),
        ("The reviewer refused.", "The reviewer refused."),
    ],
)
def test_a_reached_limit_is_shown_in_plain_english(reason, shown):
    assert reason_text(reason) == shown


def test_only_one_status_has_another_label():
    assert (status_text("budget_exhausted"), status_text("failed")) == ("out of budget", "failed")
