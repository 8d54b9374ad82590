export type Language = "json" | "markdown" | "prompt" | "yaml" | "text";

/** A finding drawn at its line. Lines count from 1. */
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
  /** Scroll to this line; a new `n` asks again. */
  jump?: { line: number; n: number } | null;
  /** Fill the space that is there instead of growing with the text. */
  fill?: boolean;
  placeholder?: string;
  /** On blur and Ctrl+Enter, when the text differs from `value`. */
  onCommit?: (text: string) => void;
  /** The text changed outside in the very place where somebody is typing; what was typed stays. */
  onClash?: () => void;
  onChange?: (text: string) => void;
}
