/** A command as one line of a shell: words, with quotes around those that need them. Pure. */

/** The words of a line; null if a quote is not closed. */
export function splitCommand(line: string): string[] | null {
  const words: string[] = [];
  let word = "";
  let begun = false;
  let quote = "";
  for (let index = 0; index < line.length; index += 1) {
    const letter = line[index]!;
    if (quote === "'" || (quote === '"' && letter !== "\\")) {
      if (letter === quote) quote = "";
      else word += letter;
    } else if (letter === "\\") {
      const next = line[index + 1] ?? "";
      // Between double quotes only these are escaped.
      word += quote && !["\\", '"', "$", "`"].includes(next) ? letter + next : next;
      begun = true;
      index += 1;
    } else if (letter === "'" || letter === '"') {
      quote = letter;
      begun = true;
    } else if (/\s/.test(letter)) {
      if (begun) words.push(word);
      word = "";
      begun = false;
    } else {
      word += letter;
      begun = true;
    }
  }
  if (quote) return null;
  return begun ? [...words, word] : words;
}

/** The line of these words; `splitCommand` returns them. */
export function joinCommand(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}
