import type { ReactNode } from "react";

/** A name or text of a pack, which a browser must not translate. */
export const Mono = ({ kind = "", children }: { kind?: string; children: ReactNode }) => (
  <span className={kind ? `mono ${kind}` : "mono"} translate="no">
    {children}
  </span>
);
