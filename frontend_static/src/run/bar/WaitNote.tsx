import { Hourglass } from "lucide-react";
import { useEffect, useState } from "react";
import { runs, shallow, type RunWait } from "../../session";
import { isFinished } from "../model/events";
import { useRunStore } from "../model/runStore";

/** Milliseconds without an event before the server is queried, and between queries. */
const QUIET_MS = 3_000;

/** The reason why the shown run does not move: a worker, a person or an answer is missing. */
export function WaitNote() {
  const { id, last, moves } = useRunStore(
    (state) => ({
      id: state.id,
      last: state.last,
      moves: state.status !== "paused" && !isFinished(state.status),
    }),
    shallow,
  );
  const [found, setFound] = useState<{ last: number; wait: RunWait } | null>(null);
  useEffect(() => {
    if (id === null || !moves) return undefined;
    let ended = false;
    const timer = setInterval(() => {
      void runs.wait(id).then(
        (wait) => !ended && setFound({ last, wait }),
        () => undefined, // The stale banner reports a server that cannot be reached.
      );
    }, QUIET_MS);
    return () => {
      ended = true;
      clearInterval(timer);
    };
  }, [id, last, moves]);
  if (!moves || found?.last !== last || !found.wait.text) return null;
  return (
    <span className="small wait-note" role="status" data-run-wait={found.wait.for}>
      <Hourglass className="icon" aria-hidden /> {found.wait.text}
    </span>
  );
}
