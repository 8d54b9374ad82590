/**
 * Sizes of cards and labels. They depend only on the content, so that nothing is measured in the
 * page.
 */

import type { State } from "../../session";

export interface Size {
  w: number;
  h: number;
}

export const CARD: Size = { w: 208, h: 72 };
const SECTION: Size = { w: 176, h: 48 };
export const STUB: Size = { w: 152, h: 32 };
/** Longer labels are shortened in the middle; the title shows the whole text. */
const MAX_LABEL_LENGTH = 26;
const LETTER_WIDTH = 6.65;

export function sizeOf(state: State): Size {
  const plain = state.stateless ? SECTION : CARD;
  return { w: state.width ?? plain.w, h: state.height ?? plain.h };
}

export const truncateLabel = (text: string, letters = MAX_LABEL_LENGTH): string =>
  text.length > letters
    ? `${text.slice(0, Math.ceil((letters - 1) / 2))}…${text.slice(-Math.floor((letters - 1) / 2))}`
    : text;

/** Width of a label in an 11 px monospace font. */
export const pillWidth = (text: string): number =>
  Math.ceil(truncateLabel(text).length * LETTER_WIDTH) + 14;

export const PILL_HEIGHT = 18;
