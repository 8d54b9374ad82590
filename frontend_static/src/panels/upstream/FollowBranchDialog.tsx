import { useState } from "react";
import { errorMessage, packs, session, useSession, type ErrorMessage } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { upstreams, useUpstream } from "./upstreamStore";
import { useRequest } from "../../ui/useRequest";

/** Lets the pack follow another branch of its repository. */
export function FollowBranchDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const upstream = useUpstream((state) => state.upstream);
  const repository = upstream?.repository.id;
  const [branch, setBranch] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const { value: row } = useRequest(
    repository === undefined ? null : [repository],
    () => packs.repository(repository!),
    { failed: (error) => setProblem(errorMessage(error)) },
  );
  const branches = row?.branches.map((one) => one.name);
  const others = branches?.filter((name) => name !== upstream?.branch) ?? [];
  const chosen = branch || others[0];
  const go = async (name: string) => {
    setBusy(true);
    setProblem(null);
    try {
      await packs.followBranch(pack, name);
      await upstreams.refresh();
      session.notify(`This pack follows the branch ${name}.`, "ok");
      close();
    } catch (error) {
      setProblem(errorMessage(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Follow another branch"
      onClose={close}
      onSubmit={() => chosen && !busy && void go(chosen)}
      footer={
        <>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={!chosen || busy}>
            Follow
          </button>
        </>
      }
    >
      {problem && <ErrorNotice {...problem} />}
      <p className="help">
        The pack follows {upstream?.branch} now. Its history, layout and runs stay, and changes made
        here too.
      </p>
      {branches && others.length === 0 ? (
        <p role="status">The repository has no other branch. Fetch it to see newer ones.</p>
      ) : (
        <label className="field">
          <span className="field-label">Branch</span>
          <select
            className="input mono"
            value={chosen}
            onChange={(event) => setBranch(event.target.value)}
          >
            {others.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
    </Dialog>
  );
}
