/** One arrow as SVG: its line and head, and its label, which is drawn above all lines. */

import type { Transition } from "../../session";
import { arrowLabel } from "../scene/arrowLabel";
import { HEAD_PATHS, type Route } from "../scene/arrowPath";
import { isDashed, lineWidth } from "../scene/arrowStyle";
import { PILL_HEIGHT, pillWidth, truncateLabel } from "../scene/cardSizes";
import { ENTRY_DOT, type EntryMark } from "../scene/entryMarks";
import type { Rect } from "../scene/geometry";
import { stemBar } from "../scene/stemBar";
import type { Paint } from "./paint";
import { element, text, titled } from "./xml";

const faded = (arrow: Transition) => (arrow.inert ? 0.4 : undefined);

export function drawnLine(arrow: Transition, route: Route, { colours, path }: Paint): string {
  const times = path?.taken.get(arrow.id);
  const ink = times === undefined ? colours.strong : colours.text;
  const line = element("path", {
    d: route.d,
    fill: "none",
    stroke: ink,
    "stroke-width": lineWidth(times),
    "stroke-dasharray": isDashed(arrow) ? "6 4" : undefined,
  });
  const head = element("path", {
    d: HEAD_PATHS[route.angle],
    transform: `translate(${route.tip.x} ${route.tip.y})`,
    fill: ink,
  });
  const marks = { "data-transition": arrow.id, "data-visits": times, opacity: faded(arrow) };
  return element("g", marks, titled(describe(arrow)) + line + head + stem(arrow, route, ink));
}

const describe = ({ source, target, label }: Transition): string =>
  `${source} → ${target || "the end"}${label ? `: ${label}` : ""}`;

function stem(arrow: Transition, route: Route, fill: string): string {
  const bar = stemBar(arrow, route);
  if (bar) return element("rect", { x: bar.x, y: bar.y, width: bar.w, height: bar.h, rx: 2, fill });
  return route.stem ? element("circle", { cx: route.stem.x, cy: route.stem.y, r: 3, fill }) : "";
}

/** The area of a label, or null for an arrow without one. */
export function labelArea(arrow: Transition, route: Route): Rect | null {
  const label = arrowLabel(arrow);
  if (!label) return null;
  const w = pillWidth(label);
  return { x: route.label.x - w / 2, y: route.label.y - PILL_HEIGHT / 2, w, h: PILL_HEIGHT };
}

export function drawnLabel(arrow: Transition, route: Route, { colours, path }: Paint): string {
  const area = labelArea(arrow, route);
  if (!area) return "";
  const rect = element("rect", {
    x: area.x,
    y: area.y,
    width: area.w,
    height: area.h,
    rx: area.h / 2,
    fill: arrow.kind === "conditional" ? colours.surface2 : colours.surface,
    stroke: colours.line,
  });
  const place = { x: route.label.x, y: route.label.y + 4, "text-anchor": "middle" };
  const words = text(
    { ...place, "font-size": 11, fill: colours.text },
    truncateLabel(arrowLabel(arrow)),
  );
  const times = path?.taken.get(arrow.id) ?? 0;
  const beside = { x: area.x + area.w + 4, y: place.y, "font-size": 11, fill: colours.muted };
  return element(
    "g",
    { "data-label": arrow.label, opacity: faded(arrow) },
    titled(arrow.label) + rect + words + (times > 1 ? text(beside, `${times}×`) : ""),
  );
}

export function drawnEntry(
  { entry, dot, route, text: words, textAt }: EntryMark,
  { colours }: Paint,
): string {
  const parts = [
    titled(entry.key ? `Entry ${entry.key}` : "A run begins here"),
    element("circle", { cx: dot.x, cy: dot.y, r: ENTRY_DOT, fill: colours.text }),
    element("path", { d: route.d, fill: "none", stroke: colours.text, "stroke-width": 1.5 }),
    element("path", {
      d: HEAD_PATHS[route.angle],
      transform: `translate(${route.tip.x} ${route.tip.y})`,
      fill: colours.text,
    }),
  ];
  const place = { x: textAt.x, y: textAt.y, "text-anchor": textAt.anchor, "font-size": 11 };
  if (words) parts.push(text({ ...place, fill: colours.muted }, words));
  return element("g", { "data-entry": entry.state }, parts.join(""));
}
