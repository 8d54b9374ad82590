import { useEffect } from "react";
import { registerCommands, useSession } from "../../session";
import { onDemand } from "../../ui/onDemand";
import { BREAKPOINT_COMMANDS } from "../model/breakpoints";
import { isFinished } from "../model/events";
import { runFromPageOrUrl, runStore, useRunStore } from "../model/runStore";

export const RunFooter = onDemand("RunFooter", () => import("./RunFooter"));
const PendingPanel = onDemand("PendingPanel", () => import("../pending/PendingPanel"));

/** The open questions of the shown run. */
export function RunQuestions() {
  const id = useRunStore((state) => state.id);
  return id === null ? null : <PendingPanel />;
}

/**
 * The bar at the foot of the page while a run is shown: status, controls and position in the log.
 */
export function RunBar() {
  const id = useRunStore((state) => state.id);
  const ready = useSession((state) => state.phase === "ready");
  useEffect(() => {
    const runId = runFromPageOrUrl();
    if (ready && runId && runStore.store.getState().id === null) void runStore.open(runId);
  }, [ready]);
  useEffect(() => registerCommands(COMMANDS), []);
  if (id === null) return null;
  return <RunFooter />;
}

const storeState = () => runStore.store.getState();
const shownEvent = () => storeState().at ?? storeState().last;
const isRunning = () => storeState().id !== null && !isFinished(storeState().status);

const COMMANDS: Parameters<typeof registerCommands>[0] = [
  {
    name: "run.pause",
    title: "Pause the run",
    group: "Run",
    keys: [],
    run: () => void runStore.signal({ type: "pause" }),
    possible: isRunning,
  },
  {
    name: "run.resume",
    title: "Resume the run",
    group: "Run",
    keys: [],
    run: () => void runStore.signal({ type: "resume" }),
    possible: isRunning,
  },
  {
    name: "run.step",
    title: "Let the run take one step",
    group: "Run",
    keys: ["F10"],
    run: () => void runStore.signal({ type: "step" }),
    possible: isRunning,
  },
  ...BREAKPOINT_COMMANDS,
  {
    name: "run.cancel",
    title: "Cancel the run",
    group: "Run",
    keys: [],
    run: () => void runStore.signal({ type: "cancel" }),
    possible: isRunning,
  },
  {
    name: "run.back",
    title: "One event back",
    group: "Run",
    keys: [","],
    run: () => runStore.seek(shownEvent() - 1),
    possible: () => storeState().id !== null,
  },
  {
    name: "run.forward",
    title: "One event forward",
    group: "Run",
    keys: ["."],
    run: () => runStore.seek(shownEvent() + 1),
    possible: () => storeState().id !== null,
  },
  {
    name: "run.play",
    title: "Play the run from here",
    group: "Run",
    keys: ["K"],
    run: () => runStore.play(!storeState().playing),
    possible: () => storeState().id !== null,
  },
];
