import type { PromptNames } from "./placeholders";

export type Language = "json" | "markdown" | "prompt" | "yaml" | "text";

/** A finding to show at its line. Lines count from 1. */
export interface Mark {
  line: number;
  level: "error" | "warning" | "hint";
  message: string;
}

/** The text of an element. Lines count from 1, columns from 0. */
export interface ElementRange {
  element: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}

export interface CodeProps {
  label: string;
  value: string;
  language: Language;
  readOnly?: boolean;
  marks?: readonly Mark[];
  /** Scroll to this line. A new `n` scrolls again. */
  jump?: { line: number; n: number } | null;
  /** Fill the available space instead of growing with the text. */
  fill?: boolean;
  placeholder?: string;
  /** Take the focus when the editor appears. */
  autoFocus?: boolean | undefined;
  /** The text that was sent last to be stored. A `value` equal to it is no outside change. */
  sent?: string | null;
  /** On blur and Ctrl+Enter. */
  onLeave?: () => void;
  /** Another number shows `value` in place of what was typed. */
  taken?: number;
  /** Text to begin with, if the user's last text was not saved. */
  draft?: string | undefined;
  /** The elements in `value`, outer ones first. */
  ranges?: readonly ElementRange[] | undefined;
  /** The user moved the cursor into these elements; [] outside of all. */
  onCursor?: (elements: string[]) => void;
  /** Mark this element and scroll to it. A new `n` scrolls again. */
  reveal?: { element: string; n: number } | null;
  onChange?: (text: string) => void;
  /** Complete these names in a prompt, and mark unknown ones. */
  names?: PromptNames | undefined;
}
