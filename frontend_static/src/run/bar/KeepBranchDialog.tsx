import { GitBranch } from "lucide-react";
import { runs, session, type Run } from "../../session";
import { useKept } from "../../ui/useKept";
import { SendDialog } from "../../ui/SendDialog";
import { FieldLabel } from "../../ui/FieldLabel";

/** Keeps what a run changed in a repository as a new branch with one commit. */
export function KeepBranchDialog({ run, close }: { run: Run; close: () => void }) {
  const [{ branch, message }, setTyped, drop] = useKept(`run ${run.id} branch`, "Branch", () => ({
    branch: `signalbox/run-${run.id.slice(0, 8)}`,
    message: "",
  }));
  const keep = async () => {
    const kept = await runs.keepBranch(run.id, { branch: branch.trim(), message });
    session.notify(`The changes are on the branch ${kept.branch}.`);
    drop();
    close();
  };
  return (
    <SendDialog
      title="Keep the changes as a branch"
      close={close}
      send={keep}
      icon={GitBranch}
      button="Keep"
      busyButton="Keeping…"
      disabled={!branch.trim()}
    >
      <p className="help">
        One commit with everything that the run changed, on the commit it began at. No other branch
        and no work tree changes.
      </p>
      <FieldLabel label="Branch">
        <input
          className="mono"
          value={branch}
          maxLength={200}
          onChange={(event) => setTyped({ branch: event.target.value, message })}
        />
      </FieldLabel>
      <FieldLabel label="Message">
        <input
          value={message}
          placeholder="names the pack and the run"
          onChange={(event) => setTyped({ branch, message: event.target.value })}
        />
      </FieldLabel>
    </SendDialog>
  );
}
