import { FlaskConical } from "lucide-react";
import { useEffect, useState } from "react";
import { createStore, useStore } from "../../ui/store";
import { packs, session, useSession, type Rehearsal } from "../../session";
import { overlayOfRehearsal } from "../model/overlay";
import { runStore, useRunStore } from "../model/runStore";

interface RehearsalState {
  result: Rehearsal | null;
  revision: number;
  busy: boolean;
  painted: boolean;
}

const store = createStore<RehearsalState>({
  result: null,
  revision: 0,
  busy: false,
  painted: false,
});

/** Rehearse the pack many times and show the coverage on the canvas. */
async function rehearse(runs: number, seed: number): Promise<void> {
  const { pack } = session.state;
  if (pack === null || store.get().busy) return;
  store.set({ busy: true });
  await session.whenSaved();
  try {
    const result = await packs.rehearse(pack, runs, seed);
    store.set({ result, revision: session.state.revision });
    paint(true);
  } catch (error) {
    session.notifyError(error);
  }
  store.set({ busy: false });
}

function paint(on: boolean): void {
  const { result } = store.get();
  store.set({ painted: on && result !== null });
  if (on && result) return session.setOverlay(overlayOfRehearsal(result));
  runStore.repaint();
}

/** The coverage of many rehearsals, and the transitions that none reached. */
export function Coverage() {
  const { result, revision, busy, painted } = useStore(store, (state) => state);
  const head = useSession((state) => state.revision);
  const hasRun = useRunStore((state) => state.id !== null);
  const [runs, setRuns] = useState(100);
  const [seed, setSeed] = useState(1);
  useEffect(() => {
    const { result: lastResult, revision: lastRevision } = store.get();
    if (lastResult === null || lastRevision !== session.state.revision) void rehearse(100, 1);
    else paint(true);
    return () => {
      if (store.get().painted) paint(false);
    };
  }, []);
  return (
    <div className="coverage">
      <form
        className="toolbar tight"
        onSubmit={(event) => {
          event.preventDefault();
          void rehearse(runs, seed);
        }}
      >
        <label className="row small">
          Walks{" "}
          <input
            className="input narrow"
            type="number"
            min={1}
            max={1000}
            value={runs}
            onChange={(event) => setRuns(Number(event.target.value))}
          />
        </label>
        <label className="row small">
          Seed{" "}
          <input
            className="input narrow"
            type="number"
            value={seed}
            onChange={(event) => setSeed(Number(event.target.value))}
          />
        </label>
        <button type="submit" className="button small primary" disabled={busy}>
          <FlaskConical className="icon" aria-hidden /> {busy ? "Walking…" : "Rehearse"}
        </button>
        {result && (
          <label className="check small">
            <input
              type="checkbox"
              checked={painted}
              onChange={(event) => paint(event.target.checked)}
            />
            Paint it on the canvas{hasRun && " instead of the run"}
          </label>
        )}
        {result && revision !== head && (
          <span className="badge warning">
            of r{revision}; the pack is at r{head}
          </span>
        )}
      </form>
      {result && <Result result={result} />}
      {!result && !busy && (
        <p className="pane-note">
          A rehearsal walks the pack with simulated answers. No model is called.
        </p>
      )}
    </div>
  );
}

function Result({ result }: { result: Rehearsal }) {
  const percent = Math.round(result.coverage * (result.coverage > 1 ? 1 : 100));
  return (
    <div className="coverage-result scroll">
      <section aria-label="Coverage">
        <div className="big-figure" data-coverage={percent}>
          {percent}%
        </div>
        <p className="muted">of all transitions were taken in {result.runs} walks</p>
        <div className="row wrap">
          {Object.entries(result.outcomes).map(([status, count]) => (
            <span key={status} className={`badge ${status}`}>
              {status.replace(/_/g, " ")} {count}
            </span>
          ))}
        </div>
        {result.notes.map((note) => (
          <p key={note} className="help">
            {note}
          </p>
        ))}
      </section>
      <section aria-label="Never taken">
        <h3>
          Never taken{" "}
          {result.unreached.length > 0 && <span className="count">{result.unreached.length}</span>}
        </h3>
        {result.unreached.length === 0 && <p className="muted">Every transition was reached.</p>}
        <ul className="transitions">
          {result.unreached.map((id) => (
            <TransitionRow key={id} id={id} />
          ))}
        </ul>
      </section>
      <section aria-label="Taken">
        <h3>Taken, and the shortest way there</h3>
        <ul className="transitions">
          {Object.entries(result.transitions)
            .filter(([, count]) => count > 0)
            .sort(([, a], [, b]) => a - b)
            .map(([id, count]) => (
              <TransitionRow key={id} id={id} count={count} steps={result.shortest[id]?.length} />
            ))}
        </ul>
      </section>
    </div>
  );
}

function TransitionRow({
  id,
  count,
  steps,
}: {
  id: string;
  count?: number;
  steps?: number | undefined;
}) {
  const [source, label, ...target] = id.split("|");
  return (
    <li>
      <button
        type="button"
        className="transition-row mono"
        onClick={() => session.focus(`transition:${id}`)}
      >
        <span className="truncate">
          {source} <span className="muted">—{label}→</span> {target.join("|")}
        </span>
        {count !== undefined && <span className="muted">×{count}</span>}
        {steps !== undefined && (
          <span className="muted">{steps === 1 ? "1 step" : `${steps} steps`}</span>
        )}
      </button>
    </li>
  );
}
