import { useCallback, useEffect, useState } from "react";
import { runs, session, type Approval } from "../../session";
import { isStored, useRunStore } from "../model/runStore";

/**
 * The questions of the shown run with these keys, as the approval queue has them, and a function
 * that asks another person to answer one. A rehearsal has none.
 */
export function useOpenApprovals(keys: string): {
  approvals: ReadonlyMap<string, Approval>;
  pass: (approval: Approval, person: string) => void;
} {
  const id = useRunStore((state) => state.id);
  const [approvals, setApprovals] = useState<ReadonlyMap<string, Approval>>(new Map());
  useEffect(() => {
    if (!isStored(id) || !keys) return setApprovals(new Map());
    let active = true;
    runs
      .approvals(id)
      .then(
        ({ results }) => active && setApprovals(new Map(results.map((one) => [one.key, one]))),
        session.notifyError,
      );
    return () => {
      active = false;
    };
  }, [id, keys]);
  const pass = useCallback((approval: Approval, person: string) => {
    runs
      .passApproval(approval.id, person)
      .then(
        (changed) => setApprovals((now) => new Map(now).set(changed.key, changed)),
        session.notifyError,
      );
  }, []);
  return { approvals, pass };
}
