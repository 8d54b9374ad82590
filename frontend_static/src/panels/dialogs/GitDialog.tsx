import { useEffect, useState } from "react";
import {
  packs,
  session,
  errorMessage,
  useSession,
  type ErrorMessage,
  type GitExported,
  type GitPlan,
} from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { CommittedDialog } from "./CommittedDialog";
import { GitPlanView } from "./GitPlanView";
import { useKept } from "../../ui/useKept";
import { Button } from "../../ui/Button";
import { Labelled } from "../../ui/Labelled";

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
  const [target, setTarget] = useState<Target>(() => loadTarget(pack) ?? EMPTY);
  const [message, setMessage, drop] = useKept(
    `commit ${pack}`,
    "Commit message",
    () => `Update ${name}`,
  );
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [plan, setPlan] = useState<GitPlan | null>(null);
  const [done, setDone] = useState<GitExported | null>(null);
  const set = (field: keyof Target) => (event: { target: { value: string } }) => {
    setTarget({ ...target, [field]: event.target.value });
    setPlan(null);
    setProblem(null);
  };

  useEffect(() => {
    if (loadTarget(pack)) return;
    void packs.gitDestinations(pack).then(
      ([last]) => {
        if (!last) return;
        const { repository, folder } = last;
        setTarget((now) => (now.repository ? now : { ...now, repository, folder }));
      },
      () => undefined,
    );
  }, [pack]);

  useEffect(() => {
    if (plan || !target.repository || !target.branch) return;
    let stale = false;
    const preview = async () => {
      try {
        await session.whenSaved();
        const made = await packs.planGitExport(pack, target);
        if (!stale) setPlan(made);
      } catch (error) {
        if (!stale) setProblem(errorMessage(error));
      }
    };
    const timer = setTimeout(() => void preview(), PAUSE);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [pack, plan, target]);

  const commit = async (shown: GitPlan) => {
    setBusy(true);
    setProblem(null);
    try {
      setDone(await packs.exportToGit(pack, { ...target, message, tree: shown.tree }));
      drop();
      localStorage.setItem(`${STORAGE_KEY}.${pack}`, JSON.stringify(target));
    } catch (error) {
      setPlan(null);
      setProblem(errorMessage(error));
    }
    setBusy(false);
  };

  if (done) return <CommittedDialog done={done} close={close} />;
  const ready = plan !== null && plan.conflicts.length === 0 && !plan.unchanged;
  return (
    <Dialog
      wide
      title="Export to a git repository"
      onClose={close}
      onSubmit={() => ready && !busy && void commit(plan)}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={busy || !ready || !message}>
            {busy ? "Committing…" : "Commit"}
          </Button>
        </>
      }
    >
      {problem && <ErrorNotice {...problem} />}
      <Labelled
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
      </Labelled>
      <div className="columns">
        <Labelled label="Branch" help="A new branch, or one that is not checked out.">
          <input
            className="mono"
            value={target.branch}
            onChange={set("branch")}
            placeholder="workflow-update"
            required
          />
        </Labelled>
        <Labelled label="Folder in it">
          <input
            className="mono"
            value={target.folder}
            onChange={set("folder")}
            placeholder="the top"
          />
        </Labelled>
        <Labelled label="Base commit">
          <input
            className="mono"
            value={target.base}
            onChange={set("base")}
            placeholder="the last import or export"
          />
        </Labelled>
      </div>
      <Labelled label="Message">
        <input value={message} onChange={(event) => setMessage(event.target.value)} required />
      </Labelled>
      {plan ? (
        <GitPlanView plan={plan} branch={target.branch} />
      ) : (
        <p className="help">
          The preview appears here when the repository and the branch are entered.
        </p>
      )}
    </Dialog>
  );
}
