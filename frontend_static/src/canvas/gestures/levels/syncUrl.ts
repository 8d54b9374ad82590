/** The level in the page's address: going back and forward in the browser goes up and down. */

import { urlForLevel, levelFromUrl, session } from "../../../session";

/** Returns the way to stop. */
export function syncUrl(): () => void {
  let shown = session.state.phase === "ready" ? session.state.level : null;
  const write = () => {
    const { level, phase } = session.state;
    if (phase !== "ready" || level === shown) return;
    // What the address asked for but is not there is no step back.
    const asked = shown === null;
    shown = level;
    if (level === levelFromUrl()) return;
    if (asked) history.replaceState(null, "", urlForLevel(level));
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
