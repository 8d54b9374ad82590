/**
 * Entries whose titles contain the typed letters in order, best first; all entries for an empty
 * query.
 */
export function fuzzyMatch<Entry extends { title: string }>(
  entries: readonly Entry[],
  query: string,
): Entry[] {
  const needle = query.trim().toLowerCase();
  if (!needle) return [...entries];
  return entries
    .map((entry) => ({ entry, score: score(entry.title.toLowerCase(), needle) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score || a.entry.title.length - b.entry.title.length)
    .map((one) => one.entry);
}

/**
 * 0 means no match. Best to worst: prefix, start of a word, middle of a word, scattered letters.
 */
function score(title: string, needle: string): number {
  const at = title.indexOf(needle);
  if (at === 0) return 4;
  if (at > 0) return /[\s._-]/.test(title[at - 1] ?? "") ? 3 : 2;
  let next = 0;
  for (const letter of needle) {
    next = title.indexOf(letter, next) + 1;
    if (next === 0) return 0;
  }
  return 1;
}
