/** A small observable store: get, set, subscribe. */

import { useRef, useSyncExternalStore } from "react";

export interface Store<T> {
  get(): T;
  /** Merge these fields. Listeners are called only if a field changed. */
  set(patch: Partial<T>): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(patch) {
      const names = Object.keys(patch) as (keyof T)[];
      if (names.every((name) => Object.is(value[name], patch[name]))) return;
      value = { ...value, ...patch };
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type Same<S> = (before: S, after: S) => boolean;

/**
 * Subscribe to a part of a store. `same` decides whether two selections are equal (default:
 * identical).
 */
export function useStore<T extends object, S>(
  store: Store<T>,
  select: (value: T) => S,
  same: Same<S> = Object.is,
): S {
  const last = useRef<{ selected: S } | null>(null);
  const read = () => {
    const selected = select(store.get());
    if (last.current && same(last.current.selected, selected)) return last.current.selected;
    last.current = { selected };
    return selected;
  };
  return useSyncExternalStore(store.subscribe, read, read);
}

/** Shallow equality, for selections that build an object or a list. */
export function shallow<S extends object>(before: S, after: S): boolean {
  const keys = Object.keys(before) as (keyof S)[];
  return (
    keys.length === Object.keys(after).length &&
    keys.every((key) => Object.is(before[key], after[key]))
  );
}
