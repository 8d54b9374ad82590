/** The icons of a drawing, as SVG symbols that its cards refer to. */

import type { LucideIcon } from "lucide-react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import type { State } from "../../session";
import { kindOf } from "../../ui/stateKinds";
import { countIcon } from "../near/Counts";
import { element } from "./xml";

export interface Icons {
  /** Markup of the symbols. */
  symbols: string;
  /** The id of an icon's symbol: `kind prompt`, `count tools`. */
  idOf(name: string): string;
}

const iconOf = (name: string): LucideIcon => {
  const kind = name.startsWith("kind ");
  return kind ? kindOf(name.slice(5)).Icon : countIcon(name.slice(6));
};

/** The names of the icons on the cards of these states. */
function* iconNames(states: Iterable<State>): Generator<string> {
  for (const state of states) {
    yield `kind ${state.kind}`;
    for (const count of Object.keys(state.counts)) yield `count ${count}`;
  }
}

export function iconsFor(states: Iterable<State>): Icons {
  const ids = new Map<LucideIcon, string>();
  const byName = new Map<string, string>();
  for (const name of new Set(iconNames(states))) {
    const icon = iconOf(name);
    const id = ids.get(icon) ?? `icon-${ids.size + 1}`;
    ids.set(icon, id);
    byName.set(name, id);
  }
  const symbols = [...ids].map(([Icon, id]) => symbolOf(Icon, id)).join("");
  return { symbols, idOf: (name) => byName.get(name) ?? "" };
}

function symbolOf(Icon: LucideIcon, id: string): string {
  const place = document.createElement("div");
  const root = createRoot(place);
  flushSync(() => root.render(<Icon />));
  const shapes = [...(place.querySelector("svg")?.children ?? [])];
  const serializer = new XMLSerializer();
  const markup = shapes
    .map((shape) =>
      serializer.serializeToString(shape).replace(' xmlns="http://www.w3.org/2000/svg"', ""),
    )
    .join("");
  root.unmount();
  const strokes = { "stroke-linecap": "round", "stroke-linejoin": "round", "stroke-width": 2 };
  return element(
    "symbol",
    { id, viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", ...strokes },
    markup,
  );
}
