/**
 * Registry of the canvas's context menu. Gestures, panels and the run contribute entries; the canvas
 * shows them in one menu, in the order of `MENU_GROUPS`.
 */

import type { ReactNode } from "react";
import { commandNamed } from "./commands";

/** The element that was clicked, and the point of the page. The ground has the id "". */
export interface MenuPlace {
  kind: "state" | "transition" | "ground";
  id: string;
  x: number;
  y: number;
}

/** Groups in their order, with lines between them. The entries of `align` are one row of icons. */
export const MENU_GROUPS = [
  "open",
  "change",
  "add",
  "clipboard",
  "align",
  "run",
  "view",
  "remove",
] as const;

export interface MenuEntry {
  id: string;
  title: string;
  group: (typeof MENU_GROUPS)[number];
  icon?: ReactNode;
  keys?: string | undefined;
  disabled?: boolean;
  run: () => void;
}

type EntriesAt = (place: MenuPlace) => MenuEntry[];

const contributors = new Set<EntriesAt>();

/** Add entries to the menu and return a function that removes them. */
export function registerMenu(entriesAt: EntriesAt): () => void {
  contributors.add(entriesAt);
  return () => contributors.delete(entriesAt);
}

/** The entries for a place, group by group. */
export function menuEntriesAt(place: MenuPlace): MenuEntry[] {
  const entries = [...contributors].flatMap((entriesAt) => entriesAt(place));
  return MENU_GROUPS.flatMap((group) => entries.filter((entry) => entry.group === group));
}

/** A command as an entry of the menu, with its first key; nothing if it is not available. */
export function commandEntry(
  name: string,
  group: MenuEntry["group"],
  look: { title?: string; icon?: ReactNode } = {},
): MenuEntry[] {
  const command = commandNamed(name);
  if (!command || command.possible?.() === false) return [];
  const { title, keys, run } = command;
  return [{ id: name, title, keys: keys[0], group, run, ...look }];
}
