/** The level in the page's address: going back and forward in the browser goes up and down. */

import { urlForLevel, levelFromUrl, session } from "../../../session";

/** Returns the way to stop. */
export function syncUrl(): () => void {
  let levelInUrl = session.state.phase === "ready" ? session.state.level : null;
  const write = () => {
    const { level, phase } = session.state;
    if (phase !== "ready" || level === levelInUrl) return;
    // What the address asked for but is not there is no step back.
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
