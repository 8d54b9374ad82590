"""Names in ASCII for formats that allow nothing else. No letter or digit is lost.

The canvas has the same function, `asciiLetters` in `ui/asciiLetters.ts`; both are tested with
`tests/vectors/ascii_letters.json`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LETTERS = """
ß=ss æ=ae œ=oe ø=o đ=d ð=d ł=l þ=th ħ=h ı=i ŋ=ng ŧ=t ə=e
а=a б=b в=v г=g ґ=g д=d ђ=dj е=e ё=yo є=ye ж=zh з=z и=i й=y і=i ї=yi ј=j к=k л=l љ=lj м=m н=n њ=nj
о=o п=p р=r с=s т=t ћ=c у=u ў=w ф=f х=kh ц=ts ч=ch џ=dz ш=sh щ=shch ъ=j ы=y ь=j э=e ю=yu я=ya
α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch
ψ=ps ω=o
"""
_SPELLINGS = dict(pair.split("=") for pair in _LETTERS.split())
_SIGNS = re.compile(r"[^A-Za-z0-9]+")
_SIGNS_OF_WORDS = re.compile(r"[\W_]+")
_SIGNS_OF_IDS = re.compile(r"[^A-Za-z0-9_-]+")


def ascii_letters(text: str) -> str:
    """The text with each letter and digit in ASCII: `Grosse` for `Größe`, `Zhuk` for `Жук`. A
    letter without a usual spelling becomes its code point: `u627fu8a8d` for `承認`. Signs stay."""
    if text.isascii():
        return text
    return "".join(map(_spelled, unicodedata.normalize("NFC", text)))


def ascii_name(text: str, joint: str = "-") -> str:
    """The words of the text in ASCII letters and digits, joined; "" if it has none."""
    return _SIGNS.sub(joint, ascii_letters(text)).strip(joint)


def ascii_id(text: str) -> str:
    """The text in ASCII letters, digits, underscores and hyphens, with hyphens for other signs."""
    return _SIGNS_OF_IDS.sub("-", ascii_letters(text)).strip("-")


def letters_of(name: str) -> str:
    """The letters and digits of a name in lower case, to find names that differ in signs alone."""
    return _SIGNS_OF_WORDS.sub("", name).casefold()


@lru_cache(maxsize=4096)
def _spelled(letter: str) -> str:
    if letter.isascii():
        return letter
    small = letter.lower()
    if small in _SPELLINGS:
        return _SPELLINGS[small] if letter == small else _SPELLINGS[small].capitalize()
    parts = unicodedata.normalize("NFKD", letter)
    base = [part for part in parts if not unicodedata.category(part).startswith("M")]
    if base and all(part.isascii() or part.lower() in _SPELLINGS for part in base):
        return "".join(map(_spelled, base))
    if "\u0300" <= letter <= "\u036f":
        return ""  # An accent that has no composed form with its letter.
    return f"u{ord(letter):x}" if unicodedata.category(letter)[0] in "LMN" else letter
