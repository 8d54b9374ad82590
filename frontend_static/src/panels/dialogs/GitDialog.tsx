import { useEffect, useEffectEvent, useState } from "react";
import { packs, session, useSession, type GitExported } from "../../session";
import { CommittedDialog } from "./CommittedDialog";
import { GitPlanView } from "./GitPlanView";
import { useKept } from "../../ui/useKept";
import { SendDialog } from "../../ui/SendDialog";
import { useRequest } from "../../ui/useRequest";
import { FieldLabel } from "../../ui/FieldLabel";

const STORAGE_KEY = "signalbox.git";

interface Target {
  repository: string;
  branch: string;
  folder: string;
  base: string;
}

const EMPTY: Target = { repository: "", branch: "", folder: "", base: "" };

function loadTarget(pack: string): Target | null {
  try {
    const stored = localStorage.getItem(`${STORAGE_KEY}.${pack}`);
    return stored ? { ...EMPTY, ...(JSON.parse(stored) as Partial<Target>), base: "" } : null;
  } catch {
    return null;
  }
}

/** Milliseconds after the last key until the preview is made. */
const PAUSE = 400;

/**
 * Exports the pack to a branch of a repository on the server: first a preview of each file's
 * difference, then the commit. No work tree changes.
 */
export function GitDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const name = useSession((state) => state.packDetail?.name ?? "pack");
  const [{ target, message }, setTyped, drop, show] = useKept(
    `git export ${pack}`,
    "Commit",
    () => ({
      target: loadTarget(pack) ?? EMPTY,
      message: `Update ${name}`,
    }),
  );
  const [failures, setFailures] = useState(0);
  const [done, setDone] = useState<GitExported | null>(null);
  const { value, error, stale } = useRequest(
    target.repository && target.branch ? [pack, target, failures] : null,
    async () => {
      await session.whenSaved();
      return packs.planGitExport(pack, target);
    },
    { pause: PAUSE },
  );
  const plan = stale || error ? null : value;
  const set = (field: keyof Target) => (event: { target: { value: string } }) =>
    setTyped({ message, target: { ...target, [field]: event.target.value } });
  const fillIn = useEffectEvent((last: Pick<Target, "repository" | "folder">) =>
    show((now) => (now.target.repository ? now : { ...now, target: { ...now.target, ...last } })),
  );
  useEffect(() => {
    if (loadTarget(pack)) return;
    void packs.gitDestinations(pack).then(
      ([last]) => {
        if (last) fillIn({ repository: last.repository, folder: last.folder });
      },
      () => undefined,
    );
  }, [pack]);

  const commit = async () => {
    try {
      setDone(await packs.exportToGit(pack, { ...target, message, tree: plan!.tree }));
    } catch (failure) {
      setFailures(failures + 1); // Another preview, because the branch may have moved.
      throw failure;
    }
    drop();
    localStorage.setItem(`${STORAGE_KEY}.${pack}`, JSON.stringify(target));
  };
  if (done) return <CommittedDialog done={done} close={close} />;
  return (
    <SendDialog
      wide
      title="Export to a git repository"
      close={close}
      send={commit}
      button="Commit"
      busyButton="Committing…"
      disabled={!plan || plan.conflicts.length > 0 || plan.unchanged || !message}
      failure={error}
    >
      <FieldLabel
        label="Repository"
        help="A path on the server, below one of the folders its operator allowed."
      >
        <input
          className="mono"
          value={target.repository}
          onChange={set("repository")}
          placeholder="/srv/repositories/team"
          required
        />
      </FieldLabel>
      <div className="columns">
        <FieldLabel label="Branch" help="A new branch, or one that is not checked out.">
          <input
            className="mono"
            value={target.branch}
            onChange={set("branch")}
            placeholder="workflow-update"
            required
          />
        </FieldLabel>
        <FieldLabel label="Folder in it">
          <input
            className="mono"
            value={target.folder}
            onChange={set("folder")}
            placeholder="the top"
          />
        </FieldLabel>
        <FieldLabel label="Base commit">
          <input
            className="mono"
            value={target.base}
            onChange={set("base")}
            placeholder="the last import or export"
          />
        </FieldLabel>
      </div>
      <FieldLabel label="Message">
        <input
          value={message}
          onChange={(event) => setTyped({ target, message: event.target.value })}
          required
        />
      </FieldLabel>
      {plan ? (
        <GitPlanView plan={plan} branch={target.branch} />
      ) : (
        <p className="help">
          The preview appears here when the repository and the branch are entered.
        </p>
      )}
    </SendDialog>
  );
}
