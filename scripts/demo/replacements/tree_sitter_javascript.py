"""The grammar that `tree_sitter` has here."""


def language() -> str:
    return "javascript"
