/** Texts shortened to a width. Widths are estimated, because the reader's fonts are not known. */

/** Width of a letter as a part of the font size. */
export const MONO = 0.602;
export const SANS = 0.56;

/** Letters of East Asian scripts and emoji take a whole square. */
const isWide = (letter: string): boolean => (letter.codePointAt(0) ?? 0) >= 0x1100;

export const textWidth = (text: string, size: number, part = MONO): number => {
  let width = 0;
  for (const letter of text) width += isWide(letter) ? size : size * part;
  return width;
};

/** The text, shortened at its end. */
export function fitEnd(text: string, width: number, size: number, part = MONO): string {
  if (textWidth(text, size, part) <= width) return text;
  const letters = [...text];
  while (letters.length > 1 && textWidth(`${letters.join("")}…`, size, part) > width) letters.pop();
  return `${letters.join("")}…`;
}

/** The text, shortened in its middle, because the end of an id distinguishes it. */
export function fitMiddle(text: string, width: number, size: number, part = MONO): string {
  if (textWidth(text, size, part) <= width) return text;
  const letters = [...text];
  for (let left = letters.length - 1; left > 1; left -= 1) {
    const head = Math.ceil(left / 2);
    const short = `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (left - head)).join("")}`;
    if (textWidth(short, size, part) <= width) return short;
  }
  return "…";
}
