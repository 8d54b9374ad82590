import { FlaskConical } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { createStore, useStore } from "zustand";
import { packs, session, useSession, type Rehearsal, type RehearsalWalk } from "../../session";
import { AskButton } from "../assistant/AskButton";
import { overlayOfRehearsal } from "../model/overlay";
import type { RunEvent } from "../model/events";
import { runStore, useRunStore } from "../model/runStore";
import { Button } from "../../ui/Button";
import { Check } from "../../ui/Check";
import { Mono } from "../../ui/Mono";

interface RehearsalState {
  result: Rehearsal | null;
  revision: number;
  runs: number;
  seed: number;
  busy: boolean;
  painted: boolean;
}

const store = createStore<RehearsalState>(() => ({
  result: null,
  revision: 0,
  runs: 0,
  seed: 0,
  busy: false,
  painted: false,
}));

/** Rehearse the pack many times and show the coverage on the canvas. */
async function rehearse(runs: number, seed: number): Promise<void> {
  const { pack } = session.state;
  if (pack === null || store.getState().busy) return;
  store.setState({ busy: true });
  await session.whenSaved();
  try {
    const result = await packs.rehearse(pack, runs, seed);
    store.setState({ result, revision: session.state.revision, runs, seed });
    paint(true);
  } catch (error) {
    session.notifyError(error);
  }
  store.setState({ busy: false });
}

/** Walk the same walks again and show one of them as a run. */
async function openWalk(number: number, at: number | null = null): Promise<void> {
  const { pack, revision } = session.state;
  const { runs, seed, revision: rehearsed, busy } = store.getState();
  if (pack === null || busy) return;
  if (revision !== rehearsed) {
    const hint = "Rehearse again to open its walks.";
    return session.notify("The pack has changed since this rehearsal.", "warning", hint);
  }
  store.setState({ busy: true });
  try {
    const { events } = await packs.rehearse(pack, Math.max(runs, number), seed, number);
    store.setState({ painted: false });
    runStore.openWalk(number, events as unknown as RunEvent[], at);
  } catch (error) {
    session.notifyError(error);
  }
  store.setState({ busy: false });
}

function paint(on: boolean): void {
  const { result } = store.getState();
  store.setState({ painted: on && result !== null });
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
    const { result: lastResult, revision: lastRevision } = store.getState();
    if (lastResult === null || lastRevision !== session.state.revision) void rehearse(100, 1);
    else paint(true);
    return () => {
      if (store.getState().painted) paint(false);
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
        <Button type="submit" kind="small primary" disabled={busy}>
          <FlaskConical className="icon" aria-hidden /> {busy ? "Walking…" : "Rehearse"}
        </Button>
        {result && (
          <Check kind="small" on={painted} set={paint}>
            Paint it on the canvas{hasRun && " instead of the run"}
          </Check>
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
  return (
    <div className="coverage-result scroll">
      <section aria-label="Coverage">
        <Figure result={result} />
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
      <Walks walks={result.walks} />
      <section aria-label="Never taken">
        <h3>
          Never taken{" "}
          {result.unreached.length > 0 && <span className="count">{result.unreached.length}</span>}
        </h3>
        {result.unreached.length === 0 && result.coverage !== null && (
          <p className="muted">Every transition was reached.</p>
        )}
        {result.unreached.length > 0 && (
          <AskButton
            request="No walk takes these transitions. Find the reason, and propose edits after which walks take them, or which remove them."
            about={result.unreached.join("\n")}
          />
        )}
        <ul className="plain transitions">
          {result.unreached.map((id) => (
            <TransitionRow key={id} id={id} />
          ))}
        </ul>
      </section>
      <section aria-label="Taken">
        <h3>Taken, with the shortest path</h3>
        <ul className="plain transitions">
          {Object.entries(result.transitions)
            .filter(([, count]) => count > 0)
            .sort(([, a], [, b]) => a - b)
            .map(([id, count]) => (
              <TransitionRow key={id} id={id} count={count} result={result} />
            ))}
        </ul>
      </section>
    </div>
  );
}

/** The share of taken transitions. A rehearsal in which every walk failed has none. */
function Figure({ result }: { result: Rehearsal }) {
  const { coverage, failed, runs } = result;
  if (failed)
    return (
      <div className="big-figure" role="alert" data-coverage="" data-rehearsal="failed">
        Every walk failed
      </div>
    );
  if (coverage === null)
    return (
      <p className="muted" data-coverage="">
        {runs} walks. The pack has no transitions to take.
      </p>
    );
  const percent = Math.round(coverage * 100);
  return (
    <>
      <div className="big-figure" data-coverage={percent}>
        {percent}%
      </div>
      <p className="muted">of all transitions were taken in {runs} walks</p>
    </>
  );
}

/** The walks, those that did not end well first, each with its reason. A click shows it as a run. */
function Walks({ walks }: { walks: readonly RehearsalWalk[] }) {
  const [shown, setShown] = useState(WALKS_SHOWN);
  const ordered = useMemo(
    () => [...walks.filter((one) => one.reason), ...walks.filter((one) => !one.reason)],
    [walks],
  );
  return (
    <section aria-label="Walks">
      <h2>
        Walks <span className="count">{walks.length}</span>
      </h2>
      <ul className="plain transitions">
        {ordered.slice(0, shown).map((walk) => (
          <li key={walk.number}>
            <button
              type="button"
              className="choice walk-row"
              data-walk={walk.number}
              title="Show this walk as a run"
              onClick={() => void openWalk(walk.number)}
            >
              <span className="row tight">
                <Mono>{walk.number}</Mono>
                <span className={`badge ${walk.outcome}`}>{walk.outcome.replace(/_/g, " ")}</span>
                <span className="muted">
                  {walk.transitions === 1 ? "1 step" : `${walk.transitions} steps`}
                </span>
              </span>
              {walk.reason && <span className="walk-reason">{walk.reason}</span>}
            </button>
          </li>
        ))}
      </ul>
      {walks.length > shown && (
        <Button kind="quiet small" onClick={() => setShown(shown + 10 * WALKS_SHOWN)}>
          Show more of {walks.length}
        </Button>
      )}
    </section>
  );
}

const WALKS_SHOWN = 20;

function TransitionRow({ id, count, result }: { id: string; count?: number; result?: Rehearsal }) {
  const steps = result?.shortest[id]?.length;
  const way = result?.taken_in[id];
  const [source, label, ...target] = id.split("|");
  return (
    <li>
      <button
        type="button"
        className="choice transition-row mono"
        translate="no"
        onClick={() => session.focus(`transition:${id}`)}
      >
        <span className="truncate">
          {source} <span className="muted">—{label}→</span> {target.join("|")}
        </span>
        {count !== undefined && <span className="muted">×{count}</span>}
      </button>
      {way && (
        <Button
          kind="quiet small"
          data-shortest={id}
          title="Show the shortest path to this transition as a run"
          onClick={() => void openWalk(way.walk, way.event)}
        >
          {steps === undefined ? "Show" : steps === 1 ? "1 step" : `${steps} steps`}
        </Button>
      )}
    </li>
  );
}
