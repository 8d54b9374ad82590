import type { ReactNode } from "react";

interface Props {
  kind?: string;
  title?: string;
  children: ReactNode;
}

/** A name or text of a pack, which a browser must not translate. */
export const Mono = ({ kind = "", title, children }: Props) => (
  <span className={kind ? `mono ${kind}` : "mono"} title={title} translate="no">
    {children}
  </span>
);
