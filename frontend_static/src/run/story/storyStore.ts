/** The state of the story's pane: the chosen visit, the unfolded rows, and the heat. */

import { createStore, useStore } from "zustand";
import type { Measure } from "./heat";
import { toggle } from "../../ui/toggle";

export interface StoryState {
  /** The visit that was chosen last: its state and the number of its first event. */
  chosen: { state: string; n: number; request: number } | null;
  expanded: ReadonlySet<number>;
  follow: boolean;
  measure: Measure | null;
  /** True: the sums over all runs of the revision. */
  allRuns: boolean;
}

const store = createStore<StoryState>(() => ({
  chosen: null,
  expanded: new Set(),
  follow: true,
  measure: null,
  allRuns: false,
}));

export const story = {
  set: store.setState,
  get state(): StoryState {
    return store.getState();
  },
  choose: (state: string, n: number): void =>
    store.setState(({ chosen }) => ({ chosen: { state, n, request: (chosen?.request ?? 0) + 1 } })),
  toggle: (id: number): void =>
    store.setState(({ expanded }) => ({ expanded: toggle(expanded, id) })),
};

export function useStoryState<S>(select: (state: StoryState) => S): S {
  return useStore(store, select);
}
