import {
  ChevronFirst,
  ChevronLast,
  ChevronLeft,
  ChevronRight,
  CirclePause,
  CirclePlay,
  CircleX,
  Pause,
  Play,
  RadioTower,
  SkipForward,
  Star,
  X,
} from "lucide-react";
import { useState } from "react";
import { runs, shallow, type Run } from "../../session";
import { clock, costText, duration } from "../../ui/formatTime";
import { isFinished, statusLabel } from "../model/events";
import { reasonText } from "../model/reasonText";
import { LoadingNote } from "../log/LoadingNote";
import { KeepBranchButton } from "./KeepBranchButton";
import { RunAnnouncer } from "./RunAnnouncer";
import { RunMenu } from "./RunMenu";
import { RunModes } from "./RunModes";
import { hideRun, runStore, useRunStore } from "../model/runStore";
import { useActiveSeconds } from "../model/useRunClock";
import { useRunPage } from "../useRunPage";
import { ForkedFrom } from "./ForkedFrom";
import { WaitNote } from "./WaitNote";
import { ResultLine } from "../result/ResultLine";
import { IconButton } from "../../ui/IconButton";
import { siteUrl } from "../../ui/siteUrl";

/** Status, result, controls and position in the log of the shown run. */
export function RunFooter() {
  return (
    <footer className="run-area" aria-label="Run">
      <RunAnnouncer />
      <StaleBanner />
      <ResultLine />
      <div className="run-bar">
        <Status />
        <RunControls />
        <RunModes />
        <Scrubber />
        <KeepBranchButton />
        <RunMenu />
        <KeepButton />
        <RunUsage />
        <CloseButton />
      </div>
    </footer>
  );
}

function StaleBanner() {
  const since = useRunStore((state) => state.staleSince);
  const problem = useRunStore((state) => state.problem);
  const status = useRunStore((state) => state.status);
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
  const { status, reason } = useRunStore(
    (state) => ({ status: state.status, reason: state.head.reason }),
    shallow,
  );
  const run = useRunStore((state) => state.run);
  return (
    <span className="run-status" data-run-status={status}>
      <span className={`badge ${status}`}>{statusLabel(status)}</span>
      {run && (
        <a
          className="small muted mono"
          translate="no"
          href={siteUrl(`/runs/${run.id}/`)}
          title={`Run ${run.id}`}
        >
          {run.driver} · r{run.revision}
        </a>
      )}
      {run && <StartedBy run={run} />}
      {run && <ForkedFrom run={run} />}
      <WaitNote />
      {reason && (
        <span className="small truncate reason" title={reasonText(reason)}>
          {reasonText(reason)}
        </span>
      )}
    </span>
  );
}

/** The user, the trigger or the API that started the run. */
function StartedBy({ run }: { run: Run }) {
  const name = starter(run);
  if (!name) return null;
  const label = `started by ${name}`;
  return run.trigger === null ? (
    <span className="small muted" data-source={run.source}>
      {label}
    </span>
  ) : (
    <a
      className="small"
      href={siteUrl(`/packs/${run.pack}/triggers/`)}
      data-source={run.source}
      title={`The ${run.source} that started it`}
    >
      {label}
    </a>
  );
}

function starter(run: Run): string {
  if (run.source === "person") return run.owner;
  return run.trigger_name || (run.source === "api" ? "the API" : `a ${run.source}`);
}

/** A star that exempts the run from pruning. */
function KeepButton() {
  const run = useRunStore((state) => state.run);
  const [changed, setChanged] = useState<{ id: string; kept: boolean } | null>(null);
  if (!run) return null;
  const isKept = changed?.id === run.id ? changed.kept : run.kept !== "";
  const toggle = () =>
    void runs.keep(run.id, !isKept).then(
      (now) => setChanged({ id: now.id, kept: now.kept !== "" }),
      () => undefined, // The star keeps its state.
    );
  return (
    <IconButton
      label={
        isKept
          ? "Kept when old runs are pruned; allow pruning"
          : "Keep this run when old ones are pruned"
      }
      Icon={Star}
      look={isKept ? "starred" : ""}
      pressed={isKept}
      onClick={toggle}
    />
  );
}

function RunControls() {
  const status = useRunStore((state) => state.status);
  if (isFinished(status)) return null;
  const paused = status === "paused";
  return (
    <span className="row tight" role="group" aria-label="Run controls">
      {paused ? (
        <IconButton
          label="Resume"
          Icon={CirclePlay}
          onClick={() => void runStore.signal({ type: "resume" })}
        />
      ) : (
        <IconButton
          label="Pause"
          Icon={CirclePause}
          onClick={() => void runStore.signal({ type: "pause" })}
        />
      )}
      <IconButton
        label="One step (F10)"
        Icon={SkipForward}
        disabled={!paused}
        onClick={() => void runStore.signal({ type: "step" })}
      />
      <IconButton
        label="Cancel the run"
        Icon={CircleX}
        onClick={() => void runStore.signal({ type: "cancel" })}
      />
    </span>
  );
}

const PLAY_HELP =
  "replays the log. Answers stream again over the time they took, at most six seconds, at an even pace: the original pace is not recorded.";

function Scrubber() {
  const { at, last, playing } = useRunStore(
    (state) => ({ at: state.at, last: state.last, playing: state.playing }),
    shallow,
  );
  const now = at ?? last;
  return (
    <span className="scrubber" role="group" aria-label="Position in the log">
      <IconButton
        label="To the start"
        Icon={ChevronFirst}
        disabled={now === 0}
        onClick={() => runStore.seek(0)}
      />
      <IconButton
        label="One event back (,)"
        Icon={ChevronLeft}
        disabled={now === 0}
        onClick={() => runStore.seek(now - 1)}
      />
      <IconButton
        label={playing ? "Stop playing (K)" : "Play (K)"}
        help={playing ? undefined : PLAY_HELP}
        Icon={playing ? Pause : Play}
        disabled={last === 0}
        onClick={() => runStore.play(!playing)}
      />
      <IconButton
        label="One event forward (.)"
        Icon={ChevronRight}
        disabled={at === null}
        onClick={() => runStore.seek(now + 1)}
      />
      <IconButton
        label="To the newest"
        Icon={ChevronLast}
        disabled={at === null}
        onClick={() => runStore.seek(null)}
      />
      <input
        type="range"
        min={0}
        max={Math.max(1, last)}
        value={now}
        aria-label="Event shown"
        aria-valuetext={`event ${now} of ${last}`}
        onChange={(event) => runStore.seek(Number(event.target.value))}
      />
      <output className="mono small" translate="no" data-run-at={now}>
        {now}/{last}
      </output>
      <span role="status">
        <LoadingNote />
      </span>
    </span>
  );
}

function RunUsage() {
  const view = useRunStore((state) => state.view);
  const { worked, waited } = useActiveSeconds();
  const elapsed = view.startedAt > 0 ? duration(worked * 1000) : "";
  const tokens = view.inputTokens + view.outputTokens;
  return (
    <span className="figures small muted">
      {elapsed && <span title="Time without pauses and waits for people">{elapsed}</span>}
      {waited >= 1 && (
        <span data-waited title="Time in which the run only waited for people">
          {duration(waited * 1000)} waiting
        </span>
      )}
      <span title="Model calls">
        {view.modelCalls === 1 ? "1 call" : `${view.modelCalls} calls`}
      </span>
      {tokens > 0 && (
        <span
          title={`${view.inputTokens.toLocaleString("en")} in, ${view.outputTokens.toLocaleString("en")} out`}
        >
          {tokens.toLocaleString("en")} tokens
        </span>
      )}
      {view.cost > 0 && <span>{costText(view.cost)}</span>}
    </span>
  );
}

/** Hides the run on an editor page. A run's own page has no such button. */
function CloseButton() {
  if (useRunPage()) return null;
  return <IconButton label="Hide the run" Icon={X} onClick={hideRun} />;
}
