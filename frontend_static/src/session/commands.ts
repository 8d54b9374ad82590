/**
 * Registry of commands. The menu, the command palette, keyboard shortcuts and help read the same
 * list. `keys` are written as "Ctrl+Z", "Shift+1" or "?".
 */

import { createStore, useStore } from "zustand";

export interface Command {
  /** For example `undo`, `tidy` or `findings.next`. */
  name: string;
  title: string;
  group: "Edit" | "Canvas" | "Select" | "Go" | "View" | "Run" | "Help";
  keys: string[];
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

export const useCommands = (): Command[] => [
  ...useStore(store, (state) => state.commands).values(),
];

export const commandNamed = (name: string): Command | undefined =>
  store.getState().commands.get(name);

/** Run a command by name. False if it does not exist or is not available. */
export function runCommand(name: string): boolean {
  const command = commandNamed(name);
  if (!command || command.possible?.() === false) return false;
  command.run();
  return true;
}

/** A key press as "Ctrl+Shift+Z". Command on a Mac counts as Ctrl. */
function keyName(event: KeyboardEvent): string {
  // With Alt, some systems send another character than the key's letter.
  const letter = event.altKey ? /^Key([A-Z])$/.exec(event.code)?.[1] : undefined;
  const key = letter ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key);
  const shifted = event.shiftKey && (event.key.length > 1 || /[A-Z0-9]/i.test(event.key));
  const digit = event.shiftKey && /^Digit\d$/.test(event.code) ? event.code.slice(5) : null;
  const parts = [
    event.ctrlKey || event.metaKey ? "Ctrl" : "",
    event.altKey ? "Alt" : "",
    shifted || digit ? "Shift" : "",
    digit ?? key,
  ];
  return parts.filter(Boolean).join("+");
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest("input, textarea, select, [role=textbox]") !== null);

/** Enter and Space press a focused button or link, so they do not run commands there. */
const pressesButton = (event: KeyboardEvent) =>
  (event.key === "Enter" || event.key === " ") &&
  !(event.ctrlKey || event.metaKey || event.altKey) &&
  event.target instanceof HTMLElement &&
  event.target.closest("button, a[href], summary") !== null;

/** The command palette and the wide prompt open from text fields too. */
const EVERYWHERE: ReadonlySet<string> = new Set(["Ctrl+K", "Ctrl+."]);

/** Run commands by their keys, except while the user types in a field. */
export function listenForKeys(root: Window = window): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    const pressed = keyName(event);
    if (event.defaultPrevented || pressesButton(event)) return;
    if (isTyping(event.target) && !EVERYWHERE.has(pressed)) return;
    for (const command of store.getState().commands.values()) {
      if (!command.keys.includes(pressed) || command.possible?.() === false) continue;
      event.preventDefault();
      command.run();
      return;
    }
  };
  root.addEventListener("keydown", onKeyDown);
  return () => root.removeEventListener("keydown", onKeyDown);
}
