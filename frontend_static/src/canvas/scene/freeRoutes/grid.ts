/** The horizontal and vertical lines that a route may follow, around cards and along other lines. */

import { bottom, right, type Rect } from "../geometry";
import type { End } from "./ends";
import type { Field } from "./field";

export interface Grid {
  xs: number[];
  ys: number[];
}

/** Distances of lanes to a card. */
const LANES = [14];
/** Distance of a lane to another line. */
const BESIDE = 12;
/** More lines make a search slow. Those of the ends and the cards come first. */
const MOST_LINES = 60;
const LEAST_APART = 3;

export function gridFor(ends: readonly End[], field: Field, area: Rect): Grid {
  const xs: number[] = ends.map((end) => end.stub.x);
  const ys: number[] = ends.map((end) => end.stub.y);
  for (const lane of LANES)
    for (const solid of field.solids) {
      xs.push(solid.x - lane, right(solid) + lane);
      ys.push(solid.y - lane, bottom(solid) + lane);
    }
  for (const { from, to } of field.lines)
    if (Math.abs(from.x - to.x) < 0.5) xs.push(from.x - BESIDE, from.x + BESIDE);
    else ys.push(from.y - BESIDE, from.y + BESIDE);
  return {
    xs: distinct(xs, area.x, right(area), ends.length),
    ys: distinct(ys, area.y, bottom(area), ends.length),
  };
}

/** The first `kept` values are exact; later ones close to an earlier one are left out. */
function distinct(values: number[], least: number, most: number, kept: number): number[] {
  const taken: number[] = [];
  values.forEach((value, index) => {
    if (index >= kept && (value < least || value > most || taken.length >= MOST_LINES)) return;
    const gap = index < kept ? 0.01 : LEAST_APART;
    if (!taken.some((other) => Math.abs(other - value) < gap)) taken.push(value);
  });
  return taken.sort((a, b) => a - b);
}
