import { useState } from "react";
import { packs, session, errorMessage, useSession, type ErrorMessage } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";

const STORAGE_KEY = "signalbox.git";

interface Target {
  repository: string;
  branch: string;
  folder: string;
}

function loadTarget(pack: string): Target {
  const none = { repository: "", branch: "", folder: "" };
  try {
    return {
      ...none,
      ...(JSON.parse(localStorage.getItem(`${STORAGE_KEY}.${pack}`) ?? "{}") as Partial<Target>),
    };
  } catch {
    return none;
  }
}

/**
 * Commits the pack's files to a branch of a repository on the server, without touching its work
 * tree.
 */
export function GitDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const name = useSession((state) => state.packDetail?.name ?? "pack");
  const [target, setTarget] = useState<Target>(() => loadTarget(pack));
  const [message, setMessage] = useState(`Update ${name}`);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [done, setDone] = useState<{
    commit: string;
    branch: string;
    paths: string[];
    unchanged: boolean;
  } | null>(null);
  const set = (field: keyof Target) => (event: { target: { value: string } }) =>
    setTarget({ ...target, [field]: event.target.value });

  const commit = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await session.whenSaved();
      const { folder, ...destination } = target;
      setDone(
        await packs.exportToGit(pack, { ...destination, message, ...(folder ? { folder } : {}) }),
      );
      localStorage.setItem(`${STORAGE_KEY}.${pack}`, JSON.stringify(target));
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setBusy(false);
  };
  if (done) return <CommittedDialog done={done} close={close} />;
  return (
    <Dialog
      title="Export to a git repository"
      onClose={close}
      onSubmit={() => void commit()}
      footer={
        <>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button
            type="submit"
            className="button primary"
            disabled={busy || !target.repository || !target.branch || !message}
          >
            {busy ? "Committing…" : "Commit"}
          </button>
        </>
      }
    >
      {problem && <ErrorNotice {...problem} />}
      <label className="field">
        <span className="field-label">Repository</span>
        <input
          className="mono"
          value={target.repository}
          onChange={set("repository")}
          placeholder="/srv/repositories/team"
          required
        />
        <span className="help">
          A path on the server, below one of the folders its operator allowed.
        </span>
      </label>
      <div className="columns">
        <label className="field">
          <span className="field-label">Branch</span>
          <input
            className="mono"
            value={target.branch}
            onChange={set("branch")}
            placeholder="workflow-update"
            required
          />
        </label>
        <label className="field">
          <span className="field-label">Folder in it</span>
          <input
            className="mono"
            value={target.folder}
            onChange={set("folder")}
            placeholder="the top"
          />
        </label>
      </div>
      <label className="field">
        <span className="field-label">Message</span>
        <input value={message} onChange={(event) => setMessage(event.target.value)} required />
      </label>
    </Dialog>
  );
}

function CommittedDialog({
  done,
  close,
}: {
  done: { commit: string; branch: string; paths: string[]; unchanged: boolean };
  close: () => void;
}) {
  return (
    <Dialog
      title={done.unchanged ? "Nothing to commit" : "Committed"}
      onClose={close}
      footer={
        <button type="button" className="button primary" onClick={close}>
          Done
        </button>
      }
    >
      {done.unchanged ? (
        <p>
          The branch <code>{done.branch}</code> has exactly these files already.
        </p>
      ) : (
        <>
          <p>
            <code>{done.commit.slice(0, 12)}</code> on <code>{done.branch}</code> with{" "}
            {done.paths.length === 1 ? "one file" : `${done.paths.length} files`}:
          </p>
          <pre className="small">{done.paths.join("\n")}</pre>
        </>
      )}
    </Dialog>
  );
}
