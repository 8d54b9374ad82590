/** Merge of two changes to one text. Each change is the span between the common start and end. */

interface Span {
  start: number;
  /** End of the replaced span in the text before the change. */
  end: number;
  insert: string;
}

export function changeOf(before: string, after: string): Span {
  const maxLength = Math.min(before.length, after.length);
  let start = 0;
  while (start < maxLength && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < maxLength - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { start, end: before.length - tail, insert: after.slice(start, after.length - tail) };
}

/** My text with the other change applied; null if both changed the same place. */
export function mergeText(base: string, mine: string, theirs: string): string | null {
  const my = changeOf(base, mine);
  const their = changeOf(base, theirs);
  if (mine === theirs || theirs === base) return mine;
  if (mine === base) return theirs;
  if (their.end < my.start) return applySpan(mine, their, 0);
  if (my.end < their.start) return applySpan(mine, their, mine.length - base.length);
  return null;
}

/**
 * The text from which mine continues, once a newer one is stored: the sent one, unless theirs shows
 * that it was not taken over.
 */
export function baseOf(stored: string, sent: string | null, theirs: string): string {
  if (sent === null || theirs === sent) return sent ?? stored;
  const both = mergeText(stored, sent, theirs);
  return both === null || both === theirs ? sent : stored;
}

function applySpan(text: string, span: Span, shift: number): string {
  return text.slice(0, span.start + shift) + span.insert + text.slice(span.end + shift);
}
