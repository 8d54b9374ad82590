/**
 * Keep the level in the page's URL, so that the browser's back and forward buttons change levels.
 */

import { urlForLevel, levelFromUrl, session } from "../../../session";

/** Returns a function that stops the synchronisation. */
export function syncUrl(): () => void {
  let levelInUrl = session.state.phase === "ready" ? session.state.level : null;
  const write = () => {
    const { level, phase } = session.state;
    if (phase !== "ready" || level === levelInUrl) return;
    // A level in the initial URL that does not exist is replaced, without a history entry.
    const isFirst = levelInUrl === null;
    levelInUrl = level;
    if (level === levelFromUrl()) return;
    if (isFirst) history.replaceState(null, "", urlForLevel(level));
    else history.pushState(null, "", urlForLevel(level));
  };
  const read = () => session.openLevel(levelFromUrl());
  write();
  const stop = session.store.subscribe(write);
  window.addEventListener("popstate", read);
  return () => {
    stop();
    window.removeEventListener("popstate", read);
  };
}
