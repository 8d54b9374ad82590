/**
 * Registry of commands. The menu, the command palette, keyboard shortcuts and help read the same
 * list. `keys` are written as "Ctrl+Z", "Shift+1" or "?".
 */

import { createStore } from "zustand";
import { combinationOf, isInForm, isInPane, isTyping, keyOf, withCtrl } from "../ui/keys";
import { storeTexts } from "../ui/typedTexts";

export interface Command {
  /** For example `undo`, `tidy` or `findings.next`. */
  name: string;
  title: string;
  group: "Edit" | "Canvas" | "Select" | "Go" | "View" | "Run" | "Help";
  keys: string[];
  /** Its keys do not act while the inspector, the drawer or the bar of a run has the focus. */
  canvas?: boolean;
  run: () => void;
  /** If absent, the command is always available. */
  possible?: () => boolean;
}

const store = createStore<{ commands: ReadonlyMap<string, Command> }>(() => ({
  commands: new Map(),
}));

/**
 * Register commands and return a function that removes them. A later registration of the same name
 * wins.
 */
export function registerCommands(commands: Command[]): () => void {
  const next = new Map(store.getState().commands);
  for (const command of commands) next.set(command.name, command);
  store.setState({ commands: next });
  return () => {
    const remaining = new Map(store.getState().commands);
    for (const command of commands)
      if (remaining.get(command.name) === command) remaining.delete(command.name);
    store.setState({ commands: remaining });
  };
}

export const allCommands = (): Command[] => [...store.getState().commands.values()];

export const commandNamed = (name: string): Command | undefined =>
  store.getState().commands.get(name);

/** Run a command by name. False if it does not exist or is not available. */
export function runCommand(name: string): boolean {
  const command = commandNamed(name);
  if (!command || command.possible?.() === false) return false;
  command.run();
  return true;
}

/** Enter and Space press a focused button or link, so they do not run commands there. */
const pressesButton = (event: KeyboardEvent) =>
  ["Enter", " "].includes(keyOf(event)) &&
  !(withCtrl(event) || event.altKey) &&
  event.target instanceof HTMLElement &&
  event.target.closest("button, a[href], summary") !== null;

/** The command palette and the wide prompt open from text fields too. */
const EVERYWHERE: ReadonlySet<string> = new Set(["Ctrl+K", "Ctrl+."]);

/**
 * Run commands by their keys, except in fields, forms and dialogs. Commands of the canvas do not run
 * in panes either.
 */
export function listenForKeys(root: Window = window): () => void {
  let last: { element: Element; inPane: boolean } | null = null;
  const onFocus = ({ target }: Event) => {
    if (target instanceof Element)
      last = { element: target, inPane: isInForm(target) || isInPane(target) };
  };
  const onPointer = () => (last = null);
  // A button that goes away as it is pressed leaves the focus to the page, and its user in the pane.
  const isLost = (event: KeyboardEvent) =>
    event.target === document.body && last !== null && last.inPane && !last.element.isConnected;
  const onKeyDown = (event: KeyboardEvent) => {
    const pressed = combinationOf(event);
    if (event.defaultPrevented || pressesButton(event)) return;
    if (pressed === "Ctrl+S" && isTyping(event.target)) {
      event.preventDefault();
      return storeTexts();
    }
    if (document.querySelector("dialog:modal")) return;
    if (isInForm(event.target) && !EVERYWHERE.has(pressed)) return;
    const inPane = isInPane(event.target) || isLost(event);
    for (const command of store.getState().commands.values()) {
      if (!command.keys.includes(pressed) || command.possible?.() === false) continue;
      if (inPane && command.canvas) continue;
      event.preventDefault();
      command.run();
      return;
    }
  };
  const listening = new AbortController();
  const { signal } = listening;
  root.addEventListener("keydown", onKeyDown, { signal });
  root.addEventListener("focusin", onFocus, { signal });
  root.addEventListener("pointerdown", onPointer, { capture: true, signal });
  return () => listening.abort();
}
