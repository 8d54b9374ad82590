import { useEffect } from "react";
import { createStore, useStore } from "zustand";
import { runs, session, type RunResult } from "../../session";
import { isStored, useRunStore } from "../model/runStore";

/** The result that was fetched last, for all views of it. */
const fetched = createStore<{ result: RunResult | null }>(() => ({ result: null }));
/** The run and the point of it whose result was requested last. */
let requested = "";
let fetching = false;

/**
 * The result of the shown run, fetched again after model calls and at the end. Not before the log is
 * loaded: the server reads the same events for it.
 */
export function useRunResult(): RunResult | null {
  const id = useRunStore((state) => state.id);
  const status = useRunStore((state) => state.status);
  const calls = useRunStore((state) => state.head.modelCalls);
  const loaded = useRunStore((state) => state.head.n > 0 && state.missing === 0);
  useEffect(() => {
    if (isStored(id) && loaded) request(id, `${id} ${status} ${calls}`);
  }, [id, status, calls, loaded]);
  const result = useStore(fetched, (state) => state.result);
  return result?.run === id ? result : null;
}

/** One request at a time; what was requested meanwhile follows it. */
function request(id: string, point: string): void {
  if (requested === point) return;
  requested = point;
  if (!fetching) void fetchResult(id, point);
}

async function fetchResult(id: string, point: string): Promise<void> {
  fetching = true;
  try {
    fetched.setState({ result: await runs.result(id) });
  } catch (error) {
    session.notifyError(error);
  }
  fetching = false;
  if (requested !== point) void fetchResult(requested.split(" ")[0]!, requested);
}
