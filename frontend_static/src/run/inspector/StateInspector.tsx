import { SquarePen } from "lucide-react";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { useSession } from "../../session";
import { costText, duration } from "../../ui/formatTime";
import { TabPanel, Tabs } from "../../ui/Tabs";
import { Prompts } from "../artifacts/Prompts";
import { useRunStore, useVisibleEvents } from "../model/runStore";
import { useActiveClock } from "../model/useRunClock";
import { Conversation } from "./Conversation";
import { EditedRevision } from "./EditedRevision";
import { figuresOf, modelCalls, type ModelCall } from "./modelCalls";
import { Results } from "./Results";
import { waitedSeconds } from "../story/story";
import { useStoryState } from "../story/storyStore";
import { VisitPager } from "./VisitPager";
import { visitsOf, type Visit } from "./visits";
import { Mono } from "../../ui/Mono";
import { Button } from "../../ui/Button";

const TABS = [
  { id: "visit", title: "Conversation" },
  { id: "visit-prompts", title: "Prompts" },
  { id: "visit-results", title: "Results" },
  { id: "visit-setup", title: "Setup" },
] as const;

type TabId = (typeof TABS)[number]["id"];

/**
 * The inspector of a visited state in a run, as of the shown event. `setup` is the state's form in
 * the pack.
 */
export function StateInspector({ state, setup }: { state: string; setup: ReactNode }) {
  const [tab, setTab] = useState<TabId>("visit");
  const [chosen, setChosen] = useState(0);
  useEffect(() => setChosen(0), [state]);
  const events = useVisibleEvents();
  const visits = useMemo(() => visitsOf(events, state), [events, state]);
  const calls = useMemo(
    () => modelCalls(events).filter((call) => call.state === state),
    [events, state],
  );
  const request = useStoryState((current) =>
    current.chosen?.state === state ? current.chosen : null,
  );
  useEffect(() => {
    if (request) setChosen(1 + visits.findIndex((one) => one.n === request.n));
    // Once per request: later events do not choose it again.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [request]);
  const visit = visits[chosen - 1] ?? visits.at(-1);
  const inVisit = useMemo(() => (visit ? callsIn(calls, visit) : []), [calls, visit]);
  return (
    <div className="node-inspector" data-inspected={state} data-visit={visit?.number ?? 0}>
      <Head state={state} visit={visit} calls={inVisit} edit={() => setTab("visit-setup")} />
      {visits.length > 0 && (
        <VisitPager visits={visits} current={visit?.number ?? 0} choose={setChosen} />
      )}
      <div className="node-tabs">
        <Tabs label={`About ${state}`} tabs={TABS} current={tab} onChange={setTab} />
      </div>
      <TabPanel id={tab}>
        {tab === "visit-setup" ? (
          <>
            <EditedRevision />
            {setup}
          </>
        ) : !visit ? (
          <div className="empty">
            <h3>Not visited yet</h3>
            <p>At the shown event the run had not entered this state.</p>
          </div>
        ) : tab === "visit" ? (
          <Conversation key={visit.n} visit={visit} calls={inVisit} />
        ) : tab === "visit-prompts" ? (
          <Prompts key={visit.n} state={state} within={visit} />
        ) : (
          <Results key={visit.n} visit={visit} calls={inVisit} log={events} />
        )}
      </TabPanel>
    </div>
  );
}

export function callsIn(calls: readonly ModelCall[], visit: Visit): ModelCall[] {
  const numbers = new Set(visit.events.map((event) => event.n));
  return calls.filter((call) => numbers.has(call.n));
}

function Head({
  state,
  visit,
  calls,
  edit,
}: {
  state: string;
  visit: Visit | undefined;
  calls: readonly ModelCall[];
  edit: () => void;
}) {
  const name = useSession((session) => session.fullGraph.states.get(state)?.name ?? "");
  const readOnly = useSession((session) => session.readOnly);
  const status = useStatus(state);
  return (
    <div className="node-head">
      <div className="row">
        <Mono kind="form-title truncate">{state}</Mono>
        {status && <span className={`badge ${status.tone}`}>{status.label}</span>}
        <span className="spacer" />
        <Button kind="small" onClick={edit}>
          <SquarePen className="icon" aria-hidden /> {readOnly ? "Show setup" : "Edit state"}
        </Button>
      </div>
      {name && name !== state && <p className="small muted">{name}</p>}
      {visit && <VisitFigures visit={visit} calls={calls} />}
    </div>
  );
}

/** The status of the state at the shown event. */
function useStatus(state: string): { label: string; tone: string } | null {
  const label = useRunStore(({ view }) => {
    if (view.failedState === state) return "failed";
    const here = Object.values(view.positions).includes(state);
    if (!here || ["completed", "cancelled", "budget_exhausted"].includes(view.status)) return "";
    const open = Object.values(view.waiting).find((one) => one.state === state);
    if (view.status === "paused") return "paused";
    return open?.for === "person" || open?.for === "event" ? "waits for you" : "running";
  });
  const tones: Readonly<Record<string, string>> = {
    failed: "failed",
    running: "running",
    paused: "waiting",
    "waits for you": "waiting",
  };
  return label ? { label, tone: tones[label] ?? "" } : null;
}

/** Tokens, cost, seconds and tries of a visit. */
function VisitFigures({ visit, calls }: { visit: Visit; calls: readonly ModelCall[] }) {
  const { input, output, cost, tries } = figuresOf(calls);
  const now = useActiveClock();
  const waited = waitedSeconds(visit, now);
  const seconds = Math.max(0, (visit.until ?? now) - visit.at - waited);
  return (
    <p className="wire-figures small muted" data-figures>
      <span title="Time in this visit without waiting">{duration(seconds * 1000)}</span>
      {waited >= 1 && <span>{duration(waited * 1000)} waiting</span>}
      {calls.length > 0 && (
        <span>{calls.length === 1 ? "1 request" : `${calls.length} requests`}</span>
      )}
      {tries > calls.length && <span>{tries} tries</span>}
      {input + output > 0 && (
        <span>
          {input.toLocaleString("en")} tokens in, {output.toLocaleString("en")} out
        </span>
      )}
      {cost > 0 && <span>{costText(cost)}</span>}
    </p>
  );
}
