/** Components whose code is loaded when they are shown for the first time. */

import { lazy, Suspense, type ComponentType, type ReactNode } from "react";

type PropsOf<C> = C extends ComponentType<infer P> ? P : never;

export interface OnDemand<P> {
  (props: P): ReactNode;
  /** Load the code ahead. */
  load: () => Promise<unknown>;
}

/**
 * The export `name` of a module that is loaded with its first use. While it loads, nothing is
 * shown; if it cannot be loaded, one sentence.
 */
export function onDemand<M, N extends keyof M>(
  name: N,
  load: () => Promise<M>,
): OnDemand<PropsOf<M[N]>> {
  const Component = lazy(async (): Promise<{ default: ComponentType<object> }> => {
    try {
      return { default: (await load())[name] as ComponentType<object> };
    } catch {
      return { default: NotLoaded };
    }
  });
  const Shown = (props: PropsOf<M[N]>) => (
    <Suspense fallback={null}>
      <Component {...(props as object)} />
    </Suspense>
  );
  return Object.assign(Shown, { load: () => load().catch(() => undefined) });
}

function NotLoaded() {
  return (
    <p className="notice error" role="alert">
      This part of the page could not be loaded. Reload the page.
    </p>
  );
}
