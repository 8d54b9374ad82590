/** The text editor. CodeMirror is a separate chunk, loaded with the first editor. */

import { lazy, Suspense } from "react";
import type { CodeProps } from "./types";
import { Pre } from "../Pre";

const Editor = lazy(() => import("./CodeMirrorEditor").catch(() => ({ default: PlainTextarea })));

export type { CodeProps, Mark } from "./types";

export function Code(props: CodeProps) {
  return (
    <Suspense fallback={<Loading {...props} />}>
      <Editor {...props} />
    </Suspense>
  );
}

/** Holds the place of the editor, and the focus if the editor is to have it. */
function Loading({ value, autoFocus = false }: CodeProps) {
  return (
    <Pre
      className="code-loading"
      tabIndex={-1}
      ref={(place) => {
        if (autoFocus) place?.focus({ preventScroll: true });
      }}
    >
      {value}
    </Pre>
  );
}

/** A plain text box, used if the editor's chunk cannot be loaded. */
function PlainTextarea(props: CodeProps) {
  return (
    <textarea
      className="input mono"
      rows={8}
      autoFocus={props.autoFocus}
      aria-label={props.label}
      defaultValue={props.draft ?? props.value}
      readOnly={props.readOnly}
      onChange={(event) => props.onChange?.(event.target.value)}
      onBlur={props.onLeave}
    />
  );
}
