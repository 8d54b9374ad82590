/** Heat: how much time, cost and how many failures each state had, for its card. Pure. */

import type { Heat } from "../../session";
import { costText, duration } from "../../ui/formatTime";
import type { StoryRow } from "./story";

export const MEASURES = ["time", "cost", "failures"] as const;
export type Measure = (typeof MEASURES)[number];

/** The sums of one state. The server's endpoint `packs/{id}/heat/` has the same names. */
export interface StateSums {
  state: string;
  seconds: number;
  cost: number;
  failures: number;
}

/** The sums of each visited state. `now` ends the visits that are still open. */
export function sumsOf(rows: readonly StoryRow[], now: number): StateSums[] {
  const sums = new Map<string, StateSums>();
  for (const row of rows) {
    if (row.kind !== "visit") continue;
    const { state } = row;
    const sum = sums.get(state) ?? { state, seconds: 0, cost: 0, failures: 0 };
    sum.seconds += Math.max(0, (row.until ?? now) - row.at);
    sum.cost += row.cost;
    sum.failures += row.failures;
    sums.set(state, sum);
  }
  return [...sums.values()];
}

export const heatOf = (rows: readonly StoryRow[], measure: Measure, now: number): Heat =>
  heatFrom(sumsOf(rows, now), measure);

/** Five levels by the share of the largest value. States with nothing have no heat. */
export function heatFrom(sums: readonly StateSums[], measure: Measure): Heat {
  const value = (one: StateSums) => (measure === "time" ? one.seconds : one[measure]);
  const most = Math.max(0, ...sums.map(value));
  return new Map(
    sums
      .filter((one) => value(one) > 0)
      .map((one) => [
        one.state,
        { level: Math.max(1, Math.ceil((value(one) / most) * 5)), label: labelOf(one, measure) },
      ]),
  );
}

function labelOf(one: StateSums, measure: Measure): string {
  if (measure === "time") return duration(one.seconds * 1000);
  if (measure === "cost") return costText(one.cost);
  return one.failures === 1 ? "1 failure" : `${one.failures} failures`;
}
