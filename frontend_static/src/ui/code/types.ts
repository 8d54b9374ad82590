export type Language = "json" | "markdown" | "prompt" | "yaml" | "text";

/** A finding to show at its line. Lines count from 1. */
export interface Mark {
  line: number;
  level: "error" | "warning" | "hint";
  message: string;
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
  /** On blur and Ctrl+Enter, when the text differs from `value`. */
  onCommit?: (text: string) => void;
  /** The text changed outside at the place where the user is typing. The user's text is kept. */
  onClash?: () => void;
  onChange?: (text: string) => void;
}
