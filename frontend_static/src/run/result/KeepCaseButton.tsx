import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { runs, type Run, type RunResult } from "../../session";
import { Button } from "../../ui/Button";
import { FieldLabel } from "../../ui/FieldLabel";
import { SendDialog } from "../../ui/SendDialog";
import { useKept } from "../../ui/useKept";
import { statusLabel } from "../model/events";
import { useRunStore } from "../model/runStore";
import { siteUrl } from "../../ui/siteUrl";

/** Keeps an ended run as a case of its pack, and shows the verdict on it. */
export function KeepCaseButton({ result }: { result: RunResult }) {
  const run = useRunStore((state) => state.run);
  const [keeping, setKeeping] = useState(false);
  if (!run) return null;
  const end = [statusLabel(result.status), ...result.ends].join(" in ");
  return (
    <>
      <Button kind="small" onClick={() => setKeeping(true)}>
        Keep as a case
      </Button>
      {keeping && <KeepCaseDialog run={run} end={end} close={() => setKeeping(false)} />}
    </>
  );
}

function KeepCaseDialog({ run, end, close }: { run: Run; end: string; close: () => void }) {
  const [name, setName, drop] = useKept(`run ${run.id} case`, "Name", () => end);
  const keep = async () => {
    await runs.keepCase(run.pack, { run: run.id, name });
    drop();
    location.assign(siteUrl(`/packs/${run.pack}/verified-runs/`));
  };
  const failed = run.status !== "completed";
  return (
    <SendDialog
      title="Keep as a case"
      close={close}
      send={keep}
      icon={FlaskConical}
      button="Keep"
      busyButton="Keeping…"
      disabled={!name.trim()}
    >
      <p className="help">
        A file next to the pack with the inputs and answers of this run.{" "}
        {failed
          ? "It holds for a revision in which the same answers do not lead to a failure."
          : "It holds for a revision in which they take the same path to the same artifacts."}
      </p>
      <FieldLabel label="Name">
        <input value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
      </FieldLabel>
    </SendDialog>
  );
}
