/** One card as SVG: its shape, the colour and icon of its kind, its texts and counts. */

import { shortId, type State } from "../../session";
import { kindOf } from "../../ui/stateKinds";
import { hasFoot, hasName, hasPromptLine } from "../near/cardLines";
import { END, type Card } from "../scene/card";
import { STUB, truncateLabel } from "../scene/cardSizes";
import { fitEnd, fitMiddle, SANS, textWidth } from "./fitText";
import type { Paint } from "./paint";
import { element, text, titled } from "./xml";

const RADIUS = 8;
const TEXT_LEFT = 38;
const TEXT_RIGHT = 10;
const ICON = 16;
const COUNT_ICON = 11;
const FOOT_SIZE = 11;
const CHIP_SIZE = 10.5;
const MOST_CHIP_WIDTH = 104;
const FOOT_GAP = 7;

export function drawnCard(card: Card, paint: Paint): string {
  const { state, x, y } = card;
  const place = `translate(${x} ${y})`;
  if (!state) return drawnStub(card, place, paint);
  const times = paint.path?.visits.get(state.id);
  const marks = { transform: place, "data-state": state.id, "data-visits": times };
  return element(
    "g",
    marks,
    titled(describe(state)) +
      shape(card, state, paint) +
      texts(card, state, paint) +
      (times ? visits(card, `${times}×`, paint) : ""),
  );
}

/** The number of visits of a state, on the lower edge of its card. */
function visits({ w, h }: Card, words: string, { colours }: Paint): string {
  const width = textWidth(words, FOOT_SIZE) + 12;
  const pill = { x: w - 10 - width, y: h - 10, width, height: 20, rx: 10 };
  return (
    element("rect", { ...pill, fill: colours.surface, stroke: colours.line }) +
    text({ x: pill.x + 6, y: h + 4, "font-size": FOOT_SIZE, fill: colours.muted }, words)
  );
}

const describe = (state: State): string =>
  [state.id, state.name !== state.id ? state.name : "", state.kind, state.terminal ? "end" : ""]
    .filter(Boolean)
    .join(" · ");

const hueOf = (state: State, { colours }: Paint): string =>
  colours.kinds[kindOf(state.kind).hue - 1] as string;

function shape({ w, h }: Card, state: State, paint: Paint): string {
  const { colours } = paint;
  const strong = state.terminal || state.stateless;
  const rect = element("rect", {
    width: w,
    height: h,
    rx: RADIUS,
    fill: state.stateless ? "none" : colours.surface,
    stroke: strong ? colours.strong : paint.edge,
    "stroke-dasharray": state.stateless ? "1.5 3" : undefined,
  });
  const second = state.terminal
    ? element("rect", {
        x: -3,
        y: -3,
        width: w + 6,
        height: h + 6,
        rx: RADIUS + 3,
        fill: "none",
        stroke: colours.strong,
      })
    : "";
  const sheet = state.inside
    ? element("path", {
        d: `M${w + 4.5} 8V${h - 3.5}a8 8 0 0 1 -8 8H8`,
        fill: "none",
        stroke: colours.strong,
      })
    : "";
  // The bar follows the round corners of the card.
  const bar = element("path", {
    d: `M4 1.07A8 8 0 0 0 0 8V${h - 8}A8 8 0 0 0 4 ${h - 1.07}Z`,
    fill: hueOf(state, paint),
  });
  return sheet + second + rect + bar;
}

function texts({ w, h }: Card, state: State, paint: Paint): string {
  const { colours } = paint;
  const space = w - TEXT_LEFT - TEXT_RIGHT;
  const icon = element("use", {
    href: `#${paint.icon(`kind ${state.kind}`)}`,
    x: 14,
    y: 10,
    width: ICON,
    height: ICON,
    color: hueOf(state, paint),
  });
  const id = text(
    { class: "id", x: TEXT_LEFT, y: 22, "font-size": 12.5, "font-weight": 600, fill: colours.text },
    fitMiddle(shortId(state.id, state.level), space, 12.5),
  );
  const line = (words: string, y: number, size: number) =>
    text(
      { x: TEXT_LEFT, y, "font-size": size, "font-family": paint.sans, fill: colours.muted },
      fitEnd(words, space, size, SANS),
    );
  const four = hasName(state) && hasPromptLine(state);
  const lines =
    (hasName(state) ? line(state.name, four ? 35 : 39, 12) : "") +
    (hasPromptLine(state) ? line(state.prompt_line, four ? 48 : 38, 11) : "");
  if (!hasFoot(state)) return icon + id + lines;
  return (
    icon +
    id +
    lines +
    foot(state, TEXT_LEFT + space - (state.inside ? 26 : 0), h - (four ? 9 : 12), paint)
  );
}

/** Role, counts and limit, from left to right as far as there is space. */
function foot(state: State, end: number, y: number, paint: Paint): string {
  let x = TEXT_LEFT;
  let markup = "";
  const add = (width: number, part: string) => {
    if (x + width > end + 0.5) return;
    markup += part;
    x += width + FOOT_GAP;
  };
  if (state.bound) add(...boundChip(state.bound.name, x, y, paint));
  if (state.role) add(...roleChip(state, x, y, Math.min(MOST_CHIP_WIDTH, end - x), paint));
  const most = state.bound ? 2 : state.role ? 3 : 4;
  for (const [name, count] of Object.entries(state.counts)
    .filter(([, count]) => count > 0)
    .slice(0, most))
    add(...countMark(name, count, x, y, paint));
  if (state.max_visits !== null) {
    const words = `≤${state.max_visits}`;
    add(textWidth(words, FOOT_SIZE), footText(words, x, y, paint));
  }
  return markup;
}

type Part = [width: number, markup: string];

const footText = (words: string, x: number, y: number, { colours, sans }: Paint): string =>
  text({ x, y, "font-size": FOOT_SIZE, "font-family": sans, fill: colours.muted }, words);

function countMark(name: string, count: number, x: number, y: number, paint: Paint): Part {
  const words = String(count);
  const width = COUNT_ICON + 3 + textWidth(words, FOOT_SIZE, SANS);
  const icon = element("use", {
    href: `#${paint.icon(`count ${name}`)}`,
    x,
    y: y - COUNT_ICON + 1.5,
    width: COUNT_ICON,
    height: COUNT_ICON,
    color: paint.colours.muted,
  });
  const title = titled(`${count} ${name.replaceAll("_", " ")}`);
  return [width, element("g", {}, title + icon + footText(words, x + COUNT_ICON + 3, y, paint))];
}

function roleChip(state: State, x: number, y: number, most: number, paint: Paint): Part {
  const { colours } = paint;
  const shared = state.prompt_users > 1;
  const words = shared ? `${state.prompt_users} · ${state.role}` : state.role;
  const label = fitMiddle(words, most - 12, CHIP_SIZE);
  const width = textWidth(label, CHIP_SIZE) + 12;
  const rect = element("rect", {
    x,
    y: y - 12,
    width,
    height: 16,
    rx: 8,
    fill: colours.surface2,
    stroke: shared ? colours.line : undefined,
    "stroke-dasharray": shared ? "2 2" : undefined,
  });
  const fill = shared ? colours.text : colours.muted;
  return [width, rect + text({ x: x + 6, y: y - 0.5, "font-size": CHIP_SIZE, fill }, label)];
}

function boundChip(name: string, x: number, y: number, paint: Paint): Part {
  const { colours, sans } = paint;
  const label = fitEnd(name, MOST_CHIP_WIDTH - 12, FOOT_SIZE, SANS);
  const width = textWidth(label, FOOT_SIZE, SANS) + 12;
  const rect = element("rect", {
    x,
    y: y - 13,
    width,
    height: 18,
    rx: 9,
    fill: colours.surface,
    stroke: colours.line,
  });
  const words = { x: x + 6, y, "font-size": FOOT_SIZE, "font-family": sans, fill: colours.text };
  return [width, rect + text(words, label)];
}

/** The end of a run, or a target that no state has. */
function drawnStub({ id }: Card, transform: string, { colours }: Paint): string {
  const { w, h } = STUB;
  if (id === END)
    return element(
      "g",
      { transform, "data-end": "true" },
      titled("The run ends here.") +
        element("rect", {
          width: w,
          height: h,
          rx: h / 2,
          fill: colours.surface,
          stroke: colours.muted,
        }) +
        text(
          { x: w / 2, y: 20, "text-anchor": "middle", "font-size": 12, fill: colours.muted },
          "End",
        ),
    );
  const rect = { width: w, height: h, rx: RADIUS, fill: "none", stroke: colours.error };
  return element(
    "g",
    { transform, "data-stub": id },
    titled(`No state is called “${id}”.`) +
      element("rect", { ...rect, "stroke-dasharray": "3 3" }) +
      text({ x: 12, y: 20, "font-size": 12, fill: colours.error }, `? ${truncateLabel(id, 18)}`),
  );
}
