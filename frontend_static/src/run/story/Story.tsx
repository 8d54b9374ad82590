import { useEffect, useMemo } from "react";
import { session, useSession } from "../../session";
import { costText, duration } from "../../ui/formatTime";
import { LoadingNote } from "../log/LoadingNote";
import { useRunStore } from "../model/runStore";
import { useActiveClock, useActiveSeconds } from "../model/useRunClock";
import { HeatPicker } from "./HeatPicker";
import { StoryRows } from "./StoryRows";
import { storyTotals, type StoryRow } from "./story";
import { story, useStoryState } from "./storyStore";
import { useStory } from "./useStory";
import { Check } from "../../ui/Check";

/**
 * The run as a list of visits with bars of time, tokens and cost; the events of a visit are one
 * click deeper. `showLog` opens the log at the shown event.
 */
export function Story({ showLog }: { showLog: () => void }) {
  const rows = useStory();
  const now = useActiveClock();
  const follow = useStoryState((state) => state.follow);
  useFollow(follow);
  return (
    <div className="story">
      <Totals rows={rows} />
      <div className="story-tools">
        <Check
          kind="small"
          on={follow}
          set={(on) => story.set({ follow: on })}
          title="Keep the active state in view on the canvas"
        >
          Follow the run
        </Check>
        <HeatPicker rows={rows} />
      </div>
      <StoryRows rows={rows} now={now} showLog={showLog} />
    </div>
  );
}

function Totals({ rows }: { rows: readonly StoryRow[] }) {
  const hasStarted = useRunStore((state) => state.view.startedAt > 0);
  const { worked, waited } = useActiveSeconds();
  const { visits, tokens, cost, failures } = useMemo(() => storyTotals(rows), [rows]);
  return (
    <p className="story-totals small muted" data-story-totals>
      <span>{visits === 1 ? "1 visit" : `${visits.toLocaleString("en")} visits`}</span>
      {hasStarted && <span>{duration(worked * 1000)}</span>}
      {waited >= 1 && <span data-waited>{duration(waited * 1000)} waiting</span>}
      {tokens > 0 && <span>{tokens.toLocaleString("en")} tokens</span>}
      {cost > 0 && <span>{costText(cost)}</span>}
      {failures > 0 && (
        <span className="bad">{failures === 1 ? "1 failure" : `${failures} failures`}</span>
      )}
      <LoadingNote />
    </p>
  );
}

/** While on: pan the canvas to the state that was entered last, if it is not in view. */
function useFollow(on: boolean): void {
  const state = useRunStore(({ view }) => Object.values(view.positions).at(-1) ?? "");
  const visits = useRunStore(({ view }) => view.visits[state] ?? 0);
  const known = useSession((current) => current.fullGraph.states.has(state));
  useEffect(() => {
    if (on && known && state) session.bringIntoView(`state:${state}`);
  }, [on, known, state, visits]);
  useEffect(() => (on ? session.endKeepingInView : undefined), [on]);
}
