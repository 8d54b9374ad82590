import { useEffect } from "react";
import { packs, session, useSession, useFetched, type RevisionHeat } from "../../session";
import { useRunStore } from "../model/runStore";
import { heatFrom, heatOf, MEASURES, type Measure } from "./heat";
import type { StoryRow } from "./story";
import { story, useStoryState } from "./storyStore";

const TITLES: Readonly<Record<Measure, string>> = {
  time: "Time",
  cost: "Cost",
  failures: "Failures",
};

/** Chooses what the cards are coloured by: nothing, or the time, cost or failures of states. */
export function HeatPicker({ rows }: { rows: readonly StoryRow[] }) {
  const measure = useStoryState((state) => state.measure);
  const allRuns = useStoryState((state) => state.allRuns);
  const revision = useRunStore((state) => state.run?.revision ?? null);
  const sums = useRevisionHeat(measure !== null && allRuns);
  const now = useRunStore((state) => state.head.at - state.head.idleSeconds);
  useEffect(() => {
    if (!measure) return session.setHeat(null);
    if (!allRuns) return session.setHeat(heatOf(rows, measure, now));
    session.setHeat(sums ? heatFrom(sums.states, measure) : null);
  }, [rows, measure, allRuns, sums, now]);
  useEffect(() => () => session.setHeat(null), []);
  return (
    <span className="row tight wrap">
      <label className="row tight small" title="Colour the states by their share">
        Heat
        <select
          className="input small"
          aria-label="Heat"
          value={measure ?? ""}
          onChange={(event) =>
            story.set({ measure: (event.target.value || null) as Measure | null })
          }
        >
          <option value="">None</option>
          {MEASURES.map((one) => (
            <option key={one} value={one}>
              {TITLES[one]}
            </option>
          ))}
        </select>
      </label>
      {measure && revision !== null && (
        <select
          className="input small"
          aria-label="Runs that are summed"
          title={sums ? runsText(sums) : undefined}
          value={allRuns ? "all" : "one"}
          onChange={(event) => story.set({ allRuns: event.target.value === "all" })}
        >
          <option value="one">This run</option>
          <option value="all">All runs of r{revision}</option>
        </select>
      )}
    </span>
  );
}

function runsText({ runs, left_out }: RevisionHeat): string {
  const summed = runs === 1 ? "The sums of 1 run" : `The sums of ${runs} runs`;
  return left_out > 0 ? `${summed}; ${left_out} older ones are left out` : summed;
}

function useRevisionHeat(wanted: boolean): RevisionHeat | null {
  const revision = useRunStore((state) => state.run?.revision ?? null);
  const status = useRunStore((state) => state.status);
  const pack = useSession((state) => state.pack);
  const asks = wanted && revision !== null && pack !== null;
  const sums = useFetched(asks ? [revision, pack, status] : null, () =>
    packs.heat(pack!, revision!),
  );
  return asks ? sums : null;
}
