import { Sprout } from "lucide-react";
import { runs, session, type Run } from "../../session";
import { useKept } from "../../ui/useKept";
import { SendDialog } from "../../ui/SendDialog";
import { siteUrl } from "../../ui/siteUrl";

/** Saves the run's graph as of an event as a new pack. */
export function SaveGraphDialog({ run, at, close }: { run: Run; at: number; close: () => void }) {
  const [name, setName, drop] = useKept(
    `run ${run.id} graph`,
    "Name",
    () => `${session.state.packDetail?.name ?? "Team"} (grown)`,
  );
  const save = async () => {
    const pack = await runs.saveGraph(run.id, { name, at });
    drop();
    location.assign(siteUrl(`/packs/${pack.id}/`));
  };
  return (
    <SendDialog
      title="Save the graph as a new pack"
      close={close}
      send={save}
      icon={Sprout}
      button="Save as a new pack"
      busyButton="Saving…"
      disabled={!name.trim()}
    >
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
    </SendDialog>
  );
}
