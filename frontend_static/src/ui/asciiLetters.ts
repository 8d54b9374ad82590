/**
 * Names in ASCII for formats that allow nothing else. No letter or digit is lost. The server has
 * the same function, `ascii_letters`; both are tested with `tests/vectors/ascii_letters.json`.
 */

const SPELLINGS = new Map(
  (
    "ß=ss æ=ae œ=oe ø=o đ=d ð=d ł=l þ=th ħ=h ı=i ŋ=ng ŧ=t ə=e " +
    "а=a б=b в=v г=g ґ=g д=d ђ=dj е=e ё=yo є=ye ж=zh з=z и=i й=y і=i ї=yi ј=j к=k л=l љ=lj " +
    "м=m н=n њ=nj о=o п=p р=r с=s т=t ћ=c у=u ў=w ф=f х=kh ц=ts ч=ch џ=dz ш=sh щ=shch ъ=j ы=y " +
    "ь=j э=e ю=yu я=ya " +
    "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f " +
    "χ=ch ψ=ps ω=o"
  )
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]),
);
const ASCII = /^\p{ASCII}*$/u;
const MARKS = /\p{M}/gu;
const ACCENT = /^[\u0300-\u036f]$/;
const PART_OF_WORD = /^[\p{L}\p{M}\p{N}]$/u;

/**
 * The text with each letter and digit in ASCII: `Grosse` for `Größe`, `Zhuk` for `Жук`. A letter
 * without a usual spelling becomes its code point: `u627fu8a8d` for `承認`. Signs stay.
 */
export function asciiLetters(text: string): string {
  return ASCII.test(text) ? text : [...text.normalize("NFC")].map(spelled).join("");
}

function spelled(letter: string): string {
  if (ASCII.test(letter)) return letter;
  const small = letter.toLowerCase();
  const usual = SPELLINGS.get(small);
  if (usual !== undefined) {
    return letter === small ? usual : usual.charAt(0).toUpperCase() + usual.slice(1);
  }
  const base = [...letter.normalize("NFKD").replace(MARKS, "")];
  if (base.length && base.every((part) => ASCII.test(part) || SPELLINGS.has(part.toLowerCase()))) {
    return base.map(spelled).join("");
  }
  // An accent that has no composed form with its letter.
  if (ACCENT.test(letter)) return "";
  return PART_OF_WORD.test(letter) ? `u${(letter.codePointAt(0) ?? 0).toString(16)}` : letter;
}
