import { useEffect, useState } from "react";
import { runs, session, type RunResult } from "../../session";
import { isStored, useRunStore } from "../model/runStore";

/** The result of the shown run, fetched again after each model call and at the end. */
export function useRunResult(): RunResult | null {
  const id = useRunStore((state) => state.id);
  const status = useRunStore((state) => state.status);
  const calls = useRunStore((state) => state.head.modelCalls);
  const [result, setResult] = useState<RunResult | null>(null);
  useEffect(() => {
    if (!isStored(id)) return;
    let active = true;
    runs.result(id).then(
      (fetched) => active && setResult(fetched),
      (error: unknown) => session.notifyError(error),
    );
    return () => {
      active = false;
    };
  }, [id, status, calls]);
  return result?.run === id ? result : null;
}
