/** Colours, fonts and icons of a drawing. */

import type { Overlay } from "../../session";
import { mixed, readColours, type Colours } from "../far/colours";

export interface Paint {
  colours: Colours;
  /** The edge of a card. A shadow does not print, so it is darker than on the canvas. */
  edge: string;
  /** The font of names. */
  sans: string;
  /** Visits of states and transitions taken by the shown run. */
  path: Pick<Overlay, "visits" | "taken"> | null;
  /** The id of an icon's symbol: `kind prompt`, `count tools`. */
  icon(name: string): string;
}

export const MONO_FONT =
  "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace";
export const SANS_FONT =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";

export const paintWith = (
  colours: Colours,
  icon: Paint["icon"],
  path: Paint["path"] = null,
): Paint => ({
  colours,
  path,
  edge: mixed(colours.strong, colours.surface, 0.55),
  sans: SANS_FONT,
  icon,
});

/** The colours of the light theme, in which drawings are printed and shared. */
export function lightColours(): Colours {
  const probe = document.createElement("div");
  probe.dataset.theme = "light";
  probe.hidden = true;
  document.body.append(probe);
  try {
    return readColours(probe);
  } finally {
    probe.remove();
  }
}
