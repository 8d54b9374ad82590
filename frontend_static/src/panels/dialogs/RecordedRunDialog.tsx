import { useState } from "react";
import { runStore } from "../../run";
import { packs, session, type RecordedRun } from "../../session";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";

/** Shows a run that another runtime has recorded, on the canvas, and what each state has used. */
export function RecordedRunDialog({ close }: { close: () => void }) {
  const [run, setRun] = useState<RecordedRun | null>(null);
  const [problem, setProblem] = useState("");
  const open = async (chosen: FileList | null): Promise<void> => {
    const { pack } = session.state;
    if (pack === null || !chosen?.length) return;
    setProblem("");
    try {
      const texts = [...chosen].map(async (one) => [
        one.webkitRelativePath || one.name,
        await one.text(),
      ]);
      const found = await packs.recordedRun(pack, Object.fromEntries(await Promise.all(texts)));
      runStore.openRecorded(found.events);
      setRun(found);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Dialog
      title="Recorded run"
      onClose={close}
      footer={
        <Button kind={run ? "primary" : ""} onClick={close}>
          {run ? "Show it on the canvas" : "Cancel"}
        </Button>
      }
    >
      <p className="help">
        The files that a runtime of this format has written about one run. They are not stored.
      </p>
      <input
        type="file"
        multiple
        aria-label="Files of one run"
        className="input"
        onChange={(event) => void open(event.target.files)}
      />
      {problem && <p role="alert">{problem}</p>}
      {run && <Spending run={run} />}
    </Dialog>
  );
}

function Spending({ run }: { run: RecordedRun }) {
  return (
    <>
      <p>
        Recorded by {run.runtime}.{" "}
        {run.holds ? "The pack takes the same path now." : `First divergence: ${run.message}`}
      </p>
      <table className="table dense">
        <thead>
          <tr>
            <th>State</th>
            <th>Calls</th>
            <th>Tokens</th>
            <th>Money</th>
          </tr>
        </thead>
        <tbody translate="no">
          {run.states.map((one) => (
            <tr key={one.state}>
              <td className="mono">{one.state}</td>
              <td>{one.calls}</td>
              <td>{one.tokens.toLocaleString("en")}</td>
              <td>{one.money}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
