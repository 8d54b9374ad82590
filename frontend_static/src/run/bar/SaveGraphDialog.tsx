import { Sprout } from "lucide-react";
import { useState } from "react";
import { runs, session, errorMessage, type Run, type ErrorMessage } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { useKept } from "../../ui/useKept";

/** Saves the run's graph as of an event as a new pack. */
export function SaveGraphDialog({ run, at, close }: { run: Run; at: number; close: () => void }) {
  const [name, setName, drop] = useKept(
    `run ${run.id} graph`,
    "Name",
    () => `${session.state.packDetail?.name ?? "Team"} (grown)`,
  );
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const pack = await runs.saveGraph(run.id, { name, at });
      drop();
      location.assign(`/packs/${pack.id}/`);
    } catch (error) {
      setProblem(errorMessage(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Save the graph as a new pack"
      onClose={close}
      onSubmit={() => void save()}
      footer={
        <>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={busy || !name.trim()}>
            <Sprout className="icon" aria-hidden /> {busy ? "Saving…" : "Save as a new pack"}
          </button>
        </>
      }
    >
      {problem && <ErrorNotice {...problem} />}
      <p className="help">
        The files of revision {run.revision}, byte for byte, with the agents and edges written in
        that this run had added by event {at}. The pack of this run stays as it is.
      </p>
      <div className="field">
        <label className="field-label" htmlFor="save-graph-name">
          Name
        </label>
        <input
          id="save-graph-name"
          className="input"
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
    </Dialog>
  );
}
