import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight, CirclePause, CirclePlay, CircleX, Pause, Play, RadioTower, SkipForward, Star, X } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { runs } from "../../api/runs";
import type { Run } from "../../api/runTypes";
import { register, session, shallow, useSession } from "../../session";
import { clock, duration } from "../../ui/formatTime";
import { BREAKPOINT_COMMANDS } from "../model/breakpoints";
import { isFinished, statusLabel } from "../model/events";
import { ForkedFrom, RunMenu } from "./RunMenu";
import { Modes } from "./RunModes";
import { PendingPanel } from "../pending/PendingPanel";
import { hideRun, namedRun, shownRun, useShownRun } from "../model/runStore";

/** The bar under the page while a run is shown: how it stands, its levers, and the way through its log. */
export function RunBar() {
  const id = useShownRun((shown) => shown.id);
  const ready = useSession((state) => state.phase === "ready");
  useEffect(() => {
    const named = namedRun();
    if (ready && named && shownRun.store.get().id === null) void shownRun.open(named);
  }, [ready]);
  useEffect(() => register(COMMANDS), []);
  if (id === null) return null;
  return (
    <footer className="run-area" aria-label="Run">
      <StaleBanner />
      <PendingPanel />
      <div className="run-bar">
        <Status />
        <Levers />
        <Modes />
        <Scrubber />
        <RunMenu />
        <KeepButton />
        <Figures />
        <CloseButton />
      </div>
    </footer>
  );
}

const shown = () => shownRun.store.get();
const here = () => shown().at ?? shown().last;
const running = () => shown().id !== null && !isFinished(shown().status);

const COMMANDS: Parameters<typeof register>[0] = [
  { name: "run.pause", title: "Pause the run", group: "Run", keys: [], run: () => void shownRun.signal({ type: "pause" }), possible: running },
  { name: "run.resume", title: "Resume the run", group: "Run", keys: [], run: () => void shownRun.signal({ type: "resume" }), possible: running },
  { name: "run.step", title: "Let the run take one step", group: "Run", keys: ["F10"], run: () => void shownRun.signal({ type: "step" }), possible: running },
  ...BREAKPOINT_COMMANDS,
  { name: "run.cancel", title: "Cancel the run", group: "Run", keys: [], run: () => void shownRun.signal({ type: "cancel" }), possible: running },
  { name: "run.back", title: "One event back", group: "Run", keys: [","], run: () => shownRun.seek(here() - 1), possible: () => shown().id !== null },
  { name: "run.forward", title: "One event forward", group: "Run", keys: ["."], run: () => shownRun.seek(here() + 1), possible: () => shown().id !== null },
  { name: "run.play", title: "Play the run from here", group: "Run", keys: ["K"], run: () => shownRun.play(!shown().playing), possible: () => shown().id !== null },
];

function StaleBanner() {
  const since = useShownRun((one) => one.staleSince);
  const problem = useShownRun((one) => one.problem);
  const status = useShownRun((one) => one.status);
  if (since === null || isFinished(status)) return null;
  return (
    <div className="stale-banner" role="alert">
      <RadioTower className="icon" aria-hidden />
      <span>
        Stale since {clock(since)}: what you see may be behind. {problem || "Connecting again…"}
      </span>
    </div>
  );
}

function Status() {
  const { status, reason } = useShownRun((one) => ({ status: one.status, reason: one.head.reason }), shallow);
  const run = useShownRun((one) => one.run);
  return (
    <span className="run-status" data-run-status={status}>
      <span className={`badge ${status}`} role="status" aria-live="polite">
        {statusLabel(status)}
      </span>
      {run && (
        <a className="small muted mono" href={`/runs/${run.id}/`} title={`Run ${run.id}`}>
          {run.driver} · r{run.revision}
        </a>
      )}
      {run && <StartedBy run={run} />}
      {run && <ForkedFrom run={run} />}
      {reason && (
        <span className="small truncate reason" title={reason}>
          {reason}
        </span>
      )}
    </span>
  );
}

/** Whoever or whatever began the run; a person's own run needs no words. */
function StartedBy({ run }: { run: Run }) {
  if (run.source === "person") return null;
  const name = run.trigger_name || (run.source === "api" ? "the API" : `a ${run.source}`);
  const words = `started by ${name}`;
  return run.trigger === null ? (
    <span className="small muted" data-source={run.source}>
      {words}
    </span>
  ) : (
    <a className="small" href={`/packs/${run.pack}/triggers/`} data-source={run.source} title={`The ${run.source} that started it`}>
      {words}
    </a>
  );
}

/** A star keeps the run when old ones are pruned. */
function KeepButton() {
  const run = useShownRun((one) => one.run);
  const [said, say] = useState<{ id: string; kept: boolean } | null>(null);
  if (!run) return null;
  const kept = said?.id === run.id ? said.kept : run.kept !== "";
  const toggle = () =>
    void runs.keep(run.id, !kept).then(
      (now) => say({ id: now.id, kept: now.kept !== "" }),
      () => undefined, // the star stays as it was
    );
  return (
    <Lever
      label={kept ? "Kept when old runs are pruned; let it go" : "Keep this run when old ones are pruned"}
      icon={<Star className={kept ? "icon starred" : "icon"} />}
      pressed={kept}
      onClick={toggle}
    />
  );
}

function Lever(props: { label: string; help?: string; icon: ReactNode; onClick: () => void; disabled?: boolean; pressed?: boolean }) {
  return (
    <button
      type="button"
      className="button quiet small icon-only"
      aria-label={props.label}
      title={props.help ? `${props.label}: ${props.help}` : props.label}
      aria-pressed={props.pressed}
      disabled={props.disabled}
      onClick={props.onClick}
    >
      {props.icon}
    </button>
  );
}

function Levers() {
  const status = useShownRun((one) => one.status);
  if (isFinished(status)) return null;
  const paused = status === "paused";
  return (
    <span className="row tight" role="group" aria-label="Levers of the run">
      {paused ? (
        <Lever label="Resume" icon={<CirclePlay className="icon" />} onClick={() => void shownRun.signal({ type: "resume" })} />
      ) : (
        <Lever label="Pause" icon={<CirclePause className="icon" />} onClick={() => void shownRun.signal({ type: "pause" })} />
      )}
      <Lever
        label="One step (F10)"
        icon={<SkipForward className="icon" />}
        disabled={!paused}
        onClick={() => void shownRun.signal({ type: "step" })}
      />
      <Lever label="Cancel the run" icon={<CircleX className="icon" />} onClick={() => void shownRun.signal({ type: "cancel" })} />
    </span>
  );
}

const PLAYING =
  "walks through the log. Answers are spoken again over the time they took, six seconds at most, at an even pace: the pace of their words is not recorded.";

function Scrubber() {
  const { at, last, playing } = useShownRun((one) => ({ at: one.at, last: one.last, playing: one.playing }), shallow);
  const now = at ?? last;
  return (
    <span className="scrubber" role="group" aria-label="Way through the log">
      <Lever label="To the start" icon={<ChevronFirst className="icon" />} disabled={now === 0} onClick={() => shownRun.seek(0)} />
      <Lever label="One event back (,)" icon={<ChevronLeft className="icon" />} disabled={now === 0} onClick={() => shownRun.seek(now - 1)} />
      <Lever
        label={playing ? "Stop playing (K)" : "Play (K)"}
        help={playing ? undefined : PLAYING}
        icon={playing ? <Pause className="icon" /> : <Play className="icon" />}
        disabled={last === 0}
        onClick={() => shownRun.play(!playing)}
      />
      <Lever label="One event forward (.)" icon={<ChevronRight className="icon" />} disabled={at === null} onClick={() => shownRun.seek(now + 1)} />
      <Lever label="To the newest" icon={<ChevronLast className="icon" />} disabled={at === null} onClick={() => shownRun.seek(null)} />
      <input
        type="range"
        min={0}
        max={Math.max(1, last)}
        value={now}
        aria-label="Event shown"
        aria-valuetext={`event ${now} of ${last}`}
        onChange={(event) => shownRun.seek(Number(event.target.value))}
      />
      <output className="mono small" data-run-at={now}>
        {now}/{last}
      </output>
    </span>
  );
}

function Figures() {
  const view = useShownRun((one) => one.view);
  const elapsed = view.startedAt > 0 ? duration((view.at - view.startedAt) * 1000) : "";
  const tokens = view.inputTokens + view.outputTokens;
  return (
    <span className="figures small muted">
      {elapsed && <span title="Time since the start">{elapsed}</span>}
      <span title="Model calls">{view.modelCalls === 1 ? "1 call" : `${view.modelCalls} calls`}</span>
      {tokens > 0 && <span title={`${view.inputTokens} in, ${view.outputTokens} out`}>{tokens} tokens</span>}
      {view.cost > 0 && <span>{view.cost.toFixed(4)} $</span>}
    </span>
  );
}

/** On an editor page the run can be put away; on its own page it is what the page is about. */
function CloseButton() {
  const readOnly = useSession((state) => state.readOnly);
  if (readOnly && document.getElementById("signalbox")?.dataset.run) return null;
  return <Lever label="Hide the run" icon={<X className="icon" />} onClick={hideRun} />;
}

export function focusState(state: string): void {
  if (session.state.whole.states.has(state)) session.focus(`state:${state}`);
}
