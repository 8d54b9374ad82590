/** Gesture: open the level inside a state, and go up again. */

import { useEffect } from "react";
import { commandEntry, TOP_LEVEL, session, urlFor } from "../../../session";
import type { Gesture } from "../gesture";
import { writeClipboard } from "../../../ui/clipboard";
import { syncUrl } from "./syncUrl";
import { Breadcrumb } from "./Breadcrumb";

/** The level that the single selected state opens. */
function levelInSelection(): string | null {
  const [only, ...more] = session.state.selection;
  if (!only?.startsWith("state:") || more.length) return null;
  return session.state.graph.states.get(only.slice(6))?.inside || null;
}

const levelIn = (id: string): string => session.state.graph.states.get(id)?.inside ?? "";

/** A link to the selected state, or to the shown level. */
async function copyLink(): Promise<void> {
  const { level, selection } = session.state;
  const [only = ""] = selection;
  const link = new URL(urlFor(level, selection.size === 1 ? only : ""), location.href);
  if (await writeClipboard(link.href)) session.notify("Copied the link.", "ok");
  else session.notify("The browser refused the clipboard.", "warning", link.href);
}

function Layer() {
  useEffect(syncUrl, []);
  return <Breadcrumb />;
}

export const levelsGesture: Gesture = {
  name: "levels",
  click({ hit, event }) {
    const mark = event.target instanceof Element && event.target.closest("[data-opens]");
    if (mark && hit.kind === "state" && levelIn(hit.id)) session.openLevel(levelIn(hit.id));
  },
  doubleClick({ hit }) {
    if (hit.kind === "state" && levelIn(hit.id)) session.openLevel(levelIn(hit.id));
  },
  Layer,
  menu: ({ kind }) => [
    ...(kind === "state"
      ? [
          ...commandEntry("level.open", "open", { title: "Open what is inside" }),
          ...commandEntry("copy.link", "clipboard"),
        ]
      : []),
    ...(kind === "ground" ? commandEntry("level.up", "view", { title: "Go up" }) : []),
  ],
  commands: () => [
    {
      name: "copy.link",
      title: "Copy link",
      group: "Go",
      keys: [],
      possible: () => session.state.phase === "ready",
      run: () => void copyLink(),
    },
    {
      name: "level.open",
      title: "Open what is inside the selected state",
      group: "Go",
      keys: ["Shift+Enter"],
      possible: () => levelInSelection() !== null,
      run: () => {
        const level = levelInSelection();
        if (level) session.openLevel(level);
      },
    },
    {
      name: "level.up",
      title: "Go up to where this is opened",
      group: "Go",
      keys: ["Escape", "Shift+Backspace"],
      possible: () => session.state.level !== TOP_LEVEL && session.state.selection.size === 0,
      run: () => session.leaveLevel(),
    },
  ],
};
