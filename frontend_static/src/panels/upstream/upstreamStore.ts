/** The pack's place in its repository or opened folder, and the conflicts that are being decided. */

import { createStore, useStore } from "zustand";
import {
  packs,
  session,
  type FolderConflict,
  type PullChoice,
  type PullConflict,
  type PullPlan,
  type UpstreamState,
  type UpstreamStatus,
} from "../../session";

export type Choices = Record<string, PullChoice>;

/** Conflicts that a user decides about in the panel next to the canvas. */
export interface Decision {
  /** Another key means other conflicts. */
  key: string;
  conflicts: PullConflict[];
  /** The button, and its label while the choices are sent. */
  labels: [idle: string, busy: string];
  /** Throws if the server refuses; then nothing is saved. */
  send: (choices: Choices) => Promise<void>;
  /** The conflicts as they are now. */
  again: () => Promise<Decision | null>;
}

interface Upstream {
  /** Null for a pack that follows no repository. */
  upstream: UpstreamState | null;
  /** A change in the opened folder that met an edit in the same place. */
  folderConflict: FolderConflict | null;
  /** The conflicts of the panel, while it is open. */
  decision: Decision | null;
}

const store = createStore<Upstream>(() => ({
  upstream: null,
  folderConflict: null,
  decision: null,
}));

export const useUpstream = <S>(select: (state: Upstream) => S): S => useStore(store, select);

let request = 0;

/** Ask for the state as of the last fetch. Without an answer, the last state stays. */
async function refresh(): Promise<void> {
  const { pack, readOnly } = session.state;
  if (pack === null || readOnly) return;
  const mine = ++request;
  try {
    const { upstream, folder_conflict } = await packs.upstream(pack);
    if (mine !== request || pack !== session.state.pack) return;
    const before = store.getState();
    store.setState({ upstream, folderConflict: folder_conflict });
    session.lock(upstream?.repository.git_wins ? gitWins(upstream) : "");
    const isNew = folder_conflict !== null && folder_conflict.id !== before.folderConflict?.id;
    const isOpen = before.decision?.key.startsWith(FOLDER);
    if (isNew || (isOpen && folder_conflict)) openFolderConflict();
    else if (isOpen) endDecision();
  } catch {
    // The badge is a hint; a pull and a proposal report their own errors.
  }
}

/** The reason that a pack of a repository in which git wins is not edited here. */
export const gitWins = ({ branch, repository }: UpstreamState): string =>
  `This pack is read-only here: it follows the branch ${branch} of ${repository.name}. Commit changes there.`;

/** Open the panel of conflicts, and mark their elements on the canvas. */
function decide(decision: Decision): void {
  store.setState({ decision });
  session.markConflicts(decision.conflicts.map((conflict) => conflict.element));
}

function endDecision(): void {
  store.setState({ decision: null });
  session.markConflicts([]);
}

const FOLDER = "folder:";

/** Open the panel with the conflict of the opened folder. */
function openFolderConflict(): void {
  const { folderConflict, decision } = store.getState();
  if (!folderConflict) return;
  const next = folderDecision(folderConflict);
  if (decision?.key !== next.key) decide(next);
}

function folderDecision(conflict: FolderConflict): Decision {
  return {
    key: `${FOLDER}${conflict.id}:${conflict.revision}`,
    conflicts: conflict.conflicts,
    labels: ["Save", "Saving…"],
    send: async (choices) => {
      const pack = session.state.pack ?? "";
      await session.replaceOnServer(() => packs.decideFolderConflict(pack, conflict, choices));
      endDecision();
      await refresh();
    },
    again: async () => {
      await refresh();
      const { folderConflict } = store.getState();
      return folderConflict && folderDecision(folderConflict);
    },
  };
}

/** The conflicts of a pull, to be decided in the panel. */
function pullDecision(plan: PullPlan): Decision {
  return {
    key: `pull:${plan.tip}:${plan.revision}`,
    conflicts: plan.conflicts,
    labels: ["Pull", "Pulling…"],
    send: (choices) => pull(plan, choices),
    again: async () => pullDecision(await packs.pullPlan(session.state.pack ?? "")),
  };
}

/** Pull as the plan shows it. Throws if the server refuses; then nothing is saved. */
async function pull(plan: PullPlan, choices: Choices): Promise<void> {
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
  decidePull: (plan: PullPlan): void => decide(pullDecision(plan)),
  decide,
  openFolderConflict,
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
