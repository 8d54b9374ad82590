/** The level in the page's address: going back and forward in the browser goes up and down. */

import { addressOf, levelInAddress, session } from "../../../session";

/** Returns the way to stop. */
export function followAddress(): () => void {
  let shown = session.state.phase === "ready" ? session.state.level : null;
  const write = () => {
    const { level, phase } = session.state;
    if (phase !== "ready" || level === shown) return;
    // What the address asked for but is not there is no step back.
    const asked = shown === null;
    shown = level;
    if (level === levelInAddress()) return;
    if (asked) history.replaceState(null, "", addressOf(level));
    else history.pushState(null, "", addressOf(level));
  };
  const read = () => session.openLevel(levelInAddress());
  write();
  const stop = session.store.subscribe(write);
  window.addEventListener("popstate", read);
  return () => {
    stop();
    window.removeEventListener("popstate", read);
  };
}
