/**
 * Reads key presses. All code asks here, because `event.key` alone is wrong while an input method
 * composes and on layouts without Latin letters; ESLint forbids the bare properties elsewhere.
 */

/** A key event of the browser or of React. */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly keyCode: number;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly target: EventTarget | null;
  readonly isComposing?: boolean;
  readonly nativeEvent?: { readonly isComposing: boolean };
}

/** The key code of keys that an input method handles. Safari sends it without `isComposing`. */
const PROCESSED = 229;

const composes = (event: KeyPress): boolean =>
  (event.nativeEvent ?? event).isComposing === true || event.keyCode === PROCESSED;

/** The signs on the keys of a US keyboard that have letters in other scripts. */
const SIGNS: Readonly<Record<string, string>> = {
  Backquote: "`~",
  Minus: "-_",
  Equal: "=+",
  BracketLeft: "[{",
  BracketRight: "]}",
  Backslash: "\\|",
  Semicolon: ";:",
  Quote: "'\"",
  Comma: ",<",
  Period: ".>",
  Slash: "/?",
};

/**
 * The key, such as "Enter" or "a"; "" while an input method composes. A key with a letter of another
 * script counts as the key of a US keyboard at its place.
 */
export function keyOf(event: KeyPress): string {
  if (composes(event)) return "";
  // With Alt, some systems send another character than the key's letter.
  const foreign = /^\p{L}$/u.test(event.key) && !/^\p{Script=Latin}$/u.test(event.key);
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1];
  if (letter && (foreign || event.altKey)) return event.shiftKey ? letter : letter.toLowerCase();
  if (!foreign) return event.key;
  return SIGNS[event.code]?.[event.shiftKey ? 1 : 0] ?? event.key;
}

export const withCtrl = (event: KeyPress): boolean => event.ctrlKey || event.metaKey;

/** A key press as "Ctrl+Shift+Z"; "" while an input method composes. Command on a Mac is Ctrl. */
export function combinationOf(event: KeyPress): string {
  const key = keyOf(event);
  if (!key) return "";
  const shifted = event.shiftKey && (key.length > 1 || /[A-Z0-9]/i.test(key));
  const digit = event.shiftKey && /^Digit\d$/.test(event.code) ? event.code.slice(5) : null;
  const parts = [
    withCtrl(event) ? "Ctrl" : "",
    event.altKey ? "Alt" : "",
    shifted || digit ? "Shift" : "",
    digit ?? (key.length === 1 ? key.toUpperCase() : key),
  ];
  return parts.filter(Boolean).join("+");
}

/** True for Ctrl+Enter, which presses the main button of a form or dialog. */
export const sendsForm = (event: KeyPress): boolean => combinationOf(event) === "Ctrl+Enter";

const FIELDS =
  "input, textarea, select, [contenteditable]:not([contenteditable=false]), [role=textbox], .cm-editor";
const FORMS = "form, [role=dialog], [role=menu], .question";
const PANES = ".pane.right, .pane.bottom, .run-area";

const isIn = (target: EventTarget | null, places: string): boolean =>
  target instanceof Element && target.closest(places) !== null;

/** True if a person types here. A field of a closed dialog has the focus for one more frame. */
export const isTyping = (target: EventTarget | null): boolean =>
  isIn(target, FIELDS) && (target as Element).checkVisibility();

/** True if keys at this place belong to a field or form. */
export const isInForm = (target: EventTarget | null): boolean =>
  isTyping(target) || isIn(target, FORMS);

/** True in the inspector, the drawer and the bar of a run, where no key acts on the canvas. */
export const isInPane = (target: EventTarget | null): boolean => isIn(target, PANES);
