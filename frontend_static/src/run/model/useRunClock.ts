import { useEffect, useState } from "react";
import { shallow } from "../../session";
import { activeSeconds, waitsForPeople, type RunView } from "./fold";
import { useRunStore } from "./runStore";

const TICK_MS = 250;

/**
 * The time of the shown run in seconds since 1970. It ticks between events while the newest event is
 * shown and the run continues; otherwise it is the time of the shown event.
 */
export function useRunClock(): number {
  const { at, ticks } = useRunStore(
    (state) => ({ at: state.view.at, ticks: state.at === null && isTicking(state.status) }),
    shallow,
  );
  return useTickingClock(at, ticks);
}

const isTicking = (status: string): boolean => status === "running" || status === "waiting";

/** `at`, or now while it ticks. */
function useTickingClock(at: number, ticks: boolean): number {
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (!ticks) return undefined;
    const tick = () => setNow(Date.now() / 1000);
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [ticks]);
  return ticks ? Math.max(at, now) : at;
}

/** The time of the shown run less its idle seconds: the clock of a story's rows. */
export function useActiveClock(): number {
  const idle = useRunStore((state) => state.view.idleSeconds);
  return useRunClock() - idle;
}

export interface RunSeconds {
  /** Without pauses and waits for people. */
  worked: number;
  /** The time in which the run only waited for people or their events. */
  waited: number;
}

/** The seconds of the run up to its newest event, and to now while it continues. */
export function useHeadSeconds(): RunSeconds {
  const head = useRunStore((state) => state.head);
  return secondsOf(head, useTickingClock(head.at, isTicking(head.status)));
}

/** The seconds of the run up to the shown event; 0 before it starts. */
export function useActiveSeconds(): RunSeconds {
  const view = useRunStore((state) => state.view);
  return secondsOf(view, useRunClock());
}

function secondsOf(view: RunView, now: number): RunSeconds {
  const waited = view.waitedSeconds + (waitsForPeople(view) ? Math.max(0, now - view.at) : 0);
  return { waited, worked: Math.max(0, activeSeconds(view, now) - waited) };
}
