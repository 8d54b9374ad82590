import { session } from "../session";
import { panels } from "./panelState";

/** Show another element: states and arrows on the canvas too, files in the text. */
export function showElement(element: string): void {
  if (element.startsWith("file:")) panels.showFile(element.slice(5));
  else if (/^(state|transition):/.test(element)) session.focus(element);
  else session.inspect(element || "pack");
}
