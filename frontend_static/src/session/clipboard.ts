/** Copied states as marked JSON text, so that they can be pasted into other tabs and packs. */

import type { Json } from "../api";

const MARK = "signalbox/fragment";

export function fragmentText(dialect: string, fragment: Json): string {
  return JSON.stringify({ type: MARK, dialect, fragment });
}

/** Parse a fragment from clipboard text; null if the text is something else. */
export function readFragment(text: string): { dialect: string; fragment: Json } | null {
  if (!text.includes(MARK)) return null;
  try {
    const parsed = JSON.parse(text) as { type?: string; dialect?: string; fragment?: Json };
    if (parsed.type !== MARK || parsed.fragment === undefined) return null;
    return { dialect: parsed.dialect ?? "", fragment: parsed.fragment };
  } catch {
    return null;
  }
}
