import { GitBranch } from "lucide-react";
import { useState } from "react";
import { errorMessage, runs, session, type ErrorMessage, type Run } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { useKept } from "../../ui/useKept";

/** Keeps what a run changed in a repository as a new branch with one commit. */
export function KeepBranchDialog({ run, close }: { run: Run; close: () => void }) {
  const [{ branch, message }, setTyped, drop] = useKept(`run ${run.id} branch`, "Branch", () => ({
    branch: `signalbox/run-${run.id.slice(0, 8)}`,
    message: "",
  }));
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [busy, setBusy] = useState(false);
  const keep = async () => {
    setBusy(true);
    try {
      const kept = await runs.keepBranch(run.id, { branch: branch.trim(), message });
      session.notify(`The changes are on the branch ${kept.branch}.`);
      drop();
      close();
    } catch (error) {
      setProblem(errorMessage(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Keep the changes as a branch"
      onClose={close}
      onSubmit={() => void keep()}
      footer={
        <>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={busy || !branch.trim()}>
            <GitBranch className="icon" aria-hidden /> {busy ? "Keeping…" : "Keep"}
          </button>
        </>
      }
    >
      {problem && <ErrorNotice {...problem} />}
      <p className="help">
        One commit with everything that the run changed, on the commit it began at. No other branch
        and no work tree changes.
      </p>
      <label className="field">
        <span className="field-label">Branch</span>
        <input
          className="mono"
          value={branch}
          maxLength={200}
          onChange={(event) => setTyped({ branch: event.target.value, message })}
        />
      </label>
      <label className="field">
        <span className="field-label">Message</span>
        <input
          value={message}
          placeholder="names the pack and the run"
          onChange={(event) => setTyped({ branch, message: event.target.value })}
        />
      </label>
    </Dialog>
  );
}
