/** A dialog that a link opens: `?tool=NAME` the binding of a tool, `?again=RUN` the start of a run. */

import { panels } from "../panelState";

const parameter = (name: string): string | null =>
  typeof location === "undefined" ? null : new URLSearchParams(location.search).get(name);

export const toolFromUrl = parameter("tool");
export const againFromUrl = parameter("again");

/** Open the dialog. The name is deleted from the address, so that a reload opens nothing. */
export function openDialogFromUrl(): void {
  if (toolFromUrl !== null) panels.open("tools");
  else if (againFromUrl !== null) panels.open("start-run");
  else return;
  const address = new URL(location.href);
  for (const name of ["tool", "again"]) address.searchParams.delete(name);
  history.replaceState(history.state, "", address);
}
