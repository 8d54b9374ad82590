"""The part of genai-prices that `workflows.providers.prices` uses."""

from __future__ import annotations

from typing import NoReturn


class Snapshot:
    providers = ()

    def find_provider_model(self, *names: str | None) -> NoReturn:
        raise LookupError(names)


def get_snapshot() -> Snapshot:
    return Snapshot()
