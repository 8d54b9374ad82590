import { useEffect, useState } from "react";
import { shallow } from "../../session";
import { useRunStore } from "./runStore";

const TICK_MS = 250;

/**
 * The time of the shown run in seconds since 1970. It ticks between events while the newest event is
 * shown and the run continues; otherwise it is the time of the shown event.
 */
export function useRunClock(): number {
  const { at, ticks } = useRunStore(
    (state) => ({
      at: state.view.at,
      ticks: state.at === null && (state.status === "running" || state.status === "waiting"),
    }),
    shallow,
  );
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
