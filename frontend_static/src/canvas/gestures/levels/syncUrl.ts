/**
 * Keep the level and the selected state in the page's URL, so that a link leads to a state, and the
 * browser's back and forward buttons follow levels and selections.
 */

import { session, stateFromUrl, levelFromUrl, urlFor } from "../../../session";

/** A selection that lasts less than this gets no entry in the history. */
const SETTLED_MS = 300;

/** Returns a function that stops the synchronisation. */
export function syncUrl(): () => void {
  let isRead = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    const url = urlFor(session.state.level, selectedState());
    if (url !== urlFor(levelFromUrl(), stateFromUrl())) history.pushState(null, "", url);
  };
  const follow = () => {
    if (session.state.phase !== "ready") return;
    if (!isRead) {
      isRead = true;
      return readFirst();
    }
    clearTimeout(timer);
    if (session.state.level !== levelFromUrl()) write();
    else timer = setTimeout(write, SETTLED_MS);
  };
  const read = () => {
    clearTimeout(timer);
    session.openLevel(levelFromUrl());
    show(stateFromUrl());
  };
  follow();
  const stop = session.store.subscribe((now, before) => {
    if (
      now.phase !== before.phase ||
      now.level !== before.level ||
      now.selection !== before.selection
    )
      follow();
  });
  window.addEventListener("popstate", read);
  return () => {
    clearTimeout(timer);
    stop();
    window.removeEventListener("popstate", read);
  };
}

/** A level or state of the first URL that does not exist is replaced, without a history entry. */
function readFirst(): void {
  const element = stateFromUrl();
  if (session.state.fullGraph.states.has(element.slice(6))) show(element);
  history.replaceState(null, "", urlFor(session.state.level, selectedState()));
}

function show(element: string): void {
  if (!element) return session.select([]);
  if (element !== selectedState()) session.focus(element);
}

/** The only selected state; "" for none or several, and in a run, which selects states itself. */
function selectedState(): string {
  const { selection, draft, readOnly } = session.state;
  const [only = "", ...more] = selection;
  return more.length || !only.startsWith("state:") || draft || readOnly ? "" : only;
}
