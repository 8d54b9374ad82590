import { Download, Ellipsis, GitFork } from "lucide-react";
import { useState } from "react";
import { runs, troubleOf, type NewFork, type Run, type Trouble } from "../session";
import { Dialog } from "../theme/parts/Dialog";
import { Menu } from "../theme/parts/Menu";
import { TroubleNotice } from "../theme/parts/TroubleNotice";
import { shownRun, useShownRun } from "./shown";

const here = (): number => {
  const { at, last } = shownRun.store.get();
  return at ?? last;
};

/** What else can be done with a run that is shown: go on from here in a new one, save it as a script. */
export function RunMenu() {
  const run = useShownRun((one) => one.run);
  const [from, setFrom] = useState<number | null>(null);
  if (!run) return null;
  return (
    <>
      <Menu
        label="More of this run"
        className="button quiet small icon-only"
        button={<Ellipsis className="icon" aria-hidden />}
        items={[
          { id: "fork", title: "Fork from here…", icon: <GitFork className="icon" aria-hidden />, run: () => setFrom(here()) },
          {
            id: "script",
            title: "Save as a script",
            icon: <Download className="icon" aria-hidden />,
            href: `/api/v1/runs/${run.id}/script/`,
          },
        ]}
      />
      {from !== null && <ForkDialog run={run} at={from} close={() => setFrom(null)} />}
    </>
  );
}

/** A link to the run that this one is a fork of. */
export function ForkedFrom({ run }: { run: Run }) {
  const from = run.forked_from;
  if (!from) return null;
  return (
    <a className="small muted" href={`/runs/${from.run}/`} data-forked-from={from.run} title={`Forked from run ${from.run}`}>
      fork at {from.at}
    </a>
  );
}

function ForkDialog({ run, at, close }: { run: Run; at: number; close: () => void }) {
  const [driver, setDriver] = useState(run.driver);
  const [revision, setRevision] = useState(String(run.revision));
  const [paused, setPaused] = useState(false);
  const [problem, setProblem] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);
  const fork = async () => {
    setBusy(true);
    try {
      const body: NewFork = { at: Math.max(1, at), driver, paused, revision: Number(revision) };
      const forked = await runs.fork(run.id, body);
      location.assign(`/runs/${forked.run.id}/`);
    } catch (error) {
      setProblem(troubleOf(error));
      setBusy(false);
    }
  };
  const drivers = [...new Set([run.driver, "rehearsal", "manual"])];
  return (
    <Dialog
      title="Fork this run"
      onClose={close}
      onSubmit={() => void fork()}
      footer={
        <>
          <label className="check start">
            <input type="checkbox" checked={paused} onChange={(event) => setPaused(event.target.checked)} />
            Start paused
          </label>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={busy}>
            <GitFork className="icon" aria-hidden /> {busy ? "Forking…" : "Fork"}
          </button>
        </>
      }
    >
      {problem && <TroubleNotice {...problem} />}
      <p className="help">
        A new run begins with events 1 to {at} of this one and goes on by itself. Nothing is asked again up to there; where
        something is half done at event {at}, it begins just before that.
      </p>
      <label className="field">
        <span className="field-label">Who answers from here</span>
        <select value={driver} onChange={(event) => setDriver(event.target.value)}>
          {drivers.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label className="field">
        <span className="field-label">Revision</span>
        <input type="number" min={1} required value={revision} onChange={(event) => setRevision(event.target.value)} />
      </label>
    </Dialog>
  );
}
