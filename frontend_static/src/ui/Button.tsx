import type { ComponentProps } from "react";

/** `kind` has the variants of its look: `quiet small`. */
export function Button({ kind = "", ...props }: ComponentProps<"button"> & { kind?: string }) {
  return <button type="button" {...props} className={kind ? `button ${kind}` : "button"} />;
}
