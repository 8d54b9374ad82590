/** The pack's place in its repository, and the pull whose conflicts are being decided. */

import { createStore, useStore } from "zustand";
import {
  packs,
  session,
  type PullChoice,
  type PullPlan,
  type UpstreamState,
  type UpstreamStatus,
} from "../../session";

interface Upstream {
  /** Null for a pack that follows no repository. */
  upstream: UpstreamState | null;
  /** A pull with conflicts, while the panel of conflicts is open. */
  plan: PullPlan | null;
}

const store = createStore<Upstream>(() => ({ upstream: null, plan: null }));

export const useUpstream = <S>(select: (state: Upstream) => S): S => useStore(store, select);

let request = 0;

/** Ask for the state as of the last fetch. Without an answer, the last state stays. */
async function refresh(): Promise<void> {
  const { pack, readOnly } = session.state;
  if (pack === null || readOnly) return;
  const mine = ++request;
  try {
    const { upstream } = await packs.upstream(pack);
    if (mine === request && pack === session.state.pack) store.setState({ upstream });
  } catch {
    // The badge is a hint; a pull and a proposal report their own errors.
  }
}

/** Open the panel of conflicts, and mark their states on the canvas. */
function decide(plan: PullPlan): void {
  store.setState({ plan });
  session.markConflicts(plan.conflicts.map((conflict) => conflict.element));
}

function endDecision(): void {
  store.setState({ plan: null });
  session.markConflicts([]);
}

/** Pull as the plan shows it. Throws if the server refuses; then nothing is saved. */
async function pull(plan: PullPlan, choices: Record<string, PullChoice>): Promise<void> {
  const pack = session.state.pack ?? "";
  const pulled = await session.replaceOnServer(() =>
    packs.pull(pack, {
      expected_commit: plan.tip,
      expected_revision: plan.revision,
      choices,
    }),
  );
  endDecision();
  session.notify(`Pulled ${pulled.commit.slice(0, 12)} as r${pulled.revision}.`, "ok");
  await refresh();
}

export const upstreams = {
  get state(): Upstream {
    return store.getState();
  },
  refresh,
  decide,
  endDecision,
  pull,
};

export const STATUS_LABELS: Record<UpstreamStatus, string> = {
  "in-step": "in step",
  edited: "edited here",
  changed: "changed there",
  both: "changed on both sides",
  gone: "gone from the branch",
};
