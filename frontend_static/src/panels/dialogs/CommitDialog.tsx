import { useState } from "react";
import { packs, session, useSession, type CommitPlan, type GitExported } from "../../session";
import { SendDialog } from "../../ui/SendDialog";
import { useKept } from "../../ui/useKept";
import { useRequest } from "../../ui/useRequest";
import { CommittedDialog } from "./CommittedDialog";
import { GitPlanView } from "./GitPlanView";
import { FieldLabel } from "../../ui/FieldLabel";

/** Milliseconds after the last key until the preview is made. */
const PAUSE = 400;

/** Commits the pack in the opened folder: on the checked-out branch, or on a new one. */
export function CommitDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const name = useSession((state) => state.packDetail?.name ?? "pack");
  const folder = useSession((state) => state.folder);
  const revision = useSession((state) => state.revision);
  const [{ typed, message }, setTyped, drop] = useKept(`commit ${pack}`, "Commit", () => ({
    typed: null as string | null,
    message: `Update ${name}`,
  }));
  const [done, setDone] = useState<GitExported | null>(null);
  const isWritten = folder !== null && folder.number === revision;
  const asked = typed?.trim() ?? "";
  const { value, error, stale } = useRequest(
    isWritten ? [pack, revision, asked, folder.checkout] : null,
    () => packs.planCommit(pack, asked),
    { pause: typed === null ? 0 : PAUSE },
  );
  const plan = stale || error ? null : value;
  const branch = typed ?? value?.checkout ?? "";
  const makesBranch = plan?.unchanged === true && plan.new_branch;
  const commit = async () => {
    await session.whenSaved();
    const made = await packs.commit(pack, { branch: asked, message, tree: plan!.tree });
    drop();
    if (!makesBranch) return setDone(made);
    session.notify(`${asked} is checked out.`, "ok");
    close();
  };
  if (done) return <CommittedDialog done={done} close={close} />;
  return (
    <SendDialog
      wide
      title="Commit"
      close={close}
      send={commit}
      button={makesBranch ? "Create branch" : "Commit"}
      busyButton="Committing…"
      disabled={!plan || (plan.unchanged && !makesBranch) || !message}
      failure={error}
    >
      <div className="columns">
        <FieldLabel label="Branch" help="The checked-out branch. A new name makes a branch here.">
          <input
            className="mono"
            value={branch}
            onChange={(event) => setTyped({ message, typed: event.target.value })}
            required
          />
        </FieldLabel>
        <FieldLabel label="Message">
          <input
            value={message}
            onChange={(event) => setTyped({ typed, message: event.target.value })}
            required
          />
          {plan && (
            <span className="help">
              Author: <span translate="no">{plan.author}</span>
            </span>
          )}
        </FieldLabel>
      </div>
      <p className="help">Other changes in the folder stay as they are, staged or not.</p>
      {plan && <LeftOut plan={plan} />}
      {makesBranch ? (
        <p role="status">The pack has no changes. The new branch {asked} starts at HEAD.</p>
      ) : (
        plan && <GitPlanView plan={plan} branch={asked || plan.checkout} />
      )}
      {!isWritten && <p role="status">{folder?.problem || "The folder is being written…"}</p>}
    </SendDialog>
  );
}

/** Hooks and a signature, which git itself would add. */
function LeftOut({ plan }: { plan: CommitPlan }) {
  if (plan.hooks.length === 0 && !plan.signs) return null;
  return (
    <div className="notice warning" role="alert">
      <div>
        {plan.hooks.length > 0 && `Signalbox runs no hooks: ${plan.hooks.join(", ")}. `}
        {plan.signs && "The commit is not signed. "}
        <div className="help">
          If it needs them, commit with git: <code translate="no">git commit --only</code>
        </div>
      </div>
    </div>
  );
}
