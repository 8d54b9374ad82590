"""Query parameters that do not exist, or whose value does not, are refused."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.django_db

WRONG = [
    ("packs/{pack}/export/?format=promptpack-1.3", "`format` is one of zip", ""),
    ("packs/{pack}/export/?As=zip", "There is no query parameter `As` here.", "`as`"),
    ("packs/?serch=x", "There is no query parameter `serch` here.", ""),
    ("runs/?limt=5", "There is no query parameter `limt` here.", "Did you mean `limit`?"),
    ("dialects/?x=1", "There is no query parameter `x` here.", "Parameters: none."),
]
FINE = ["packs/{pack}/export/?format=zip", "packs/?limit=2", "runs/?status=completed&limit=2"]


def test_an_unknown_query_parameter_is_refused(site, pack):
    for path, message, hint in WRONG:
        answer = site.get(f"/api/v1/{path.format(pack=pack.pk)}")
        assert answer.status_code == 400, path
        error = answer.json()
        assert error["message"].startswith(message), error
        assert hint in error.get("hint", ""), error


def test_a_known_one_is_not(site, pack):
    for path in FINE:
        assert site.get(f"/api/v1/{path.format(pack=pack.pk)}").status_code == 200, path
