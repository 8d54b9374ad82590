/** The assistant of the open pack: requests to it, and the run that answers. */

import { createStore, useStore } from "zustand";
import { packs, runCommand, runs, session } from "../../session";
import { keepTyped } from "../../ui/typedTexts";
import { isFinished, type RunEvent } from "../model/events";

/** Milliseconds between two looks at the run. */
const POLL = 700;

/** A request, and the finding, reason or ids that it is about, which are quoted as data. */
export interface Draft {
  request: string;
  about: string;
}

interface Assistant {
  run: string | null;
  status: string;
  events: readonly RunEvent[];
  /** The number of drafts that were prepared for its user. */
  prepared: number;
}

const store = createStore<Assistant>(() => ({ run: null, status: "", events: [], prepared: 0 }));

export const useAssistant = <S>(select: (state: Assistant) => S): S => useStore(store, select);

export const draftKey = (pack: string): string => `assistant ${pack}`;

/** Prepare a request and show the assistant, on the pack's page. */
function prepare(draft: Draft): void {
  const pack = session.state.pack ?? "";
  keepTyped(draftKey(pack), draft);
  store.setState(({ prepared }) => ({ prepared: prepared + 1 }));
  runCommand("assistant");
  if (session.state.readOnly) location.assign(`/packs/${pack}/`);
}

/** Send a request, and follow its run. */
async function ask(draft: Draft, choice: { connection: string; model: string }): Promise<void> {
  const how = choice.connection === SCRIPT ? { driver: "script" as const } : choice;
  const { run } = await packs.ask(session.state.pack ?? "", { ...draft, ...how });
  store.setState({ run, status: "new", events: [] });
  void follow(run);
}

/** The choice instead of a connection. */
export const SCRIPT = "\0script";

async function follow(run: string): Promise<void> {
  try {
    for (;;) {
      const { events } = store.getState();
      const page = await runs.events(run, events.at(-1)?.n ?? 0);
      if (store.getState().run !== run) return;
      const all = [...events, ...(page.events as RunEvent[])];
      store.setState({ events: all, status: page.status });
      if (isFinished(page.status) && (all.at(-1)?.n ?? 0) >= page.last) return;
      await new Promise((done) => setTimeout(done, POLL));
    }
  } catch (error) {
    session.notifyError(error);
  }
}

/** Cancel the run. */
async function stop(): Promise<void> {
  const { run } = store.getState();
  try {
    if (run) await runs.signal(run, { type: "cancel" });
  } catch (error) {
    session.notifyError(error);
  }
}

export const assistant = { prepare, ask, stop };
