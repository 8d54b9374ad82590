/** The text editor. CodeMirror is a separate chunk, loaded with the first editor. */

import { lazy, Suspense } from "react";
import type { CodeProps } from "./types";

const Editor = lazy(() => import("./CodeMirrorEditor").catch(() => ({ default: PlainTextarea })));

export type { CodeProps, Mark } from "./types";

export function Code(props: CodeProps) {
  return (
    <Suspense fallback={<pre className="code-loading">{props.value}</pre>}>
      <Editor {...props} />
    </Suspense>
  );
}

/** A plain text box, used if the editor's chunk cannot be loaded. */
function PlainTextarea(props: CodeProps) {
  return (
    <textarea
      key={props.value}
      className="input mono"
      rows={8}
      aria-label={props.label}
      defaultValue={props.value}
      readOnly={props.readOnly}
      onChange={(event) => props.onChange?.(event.target.value)}
      onBlur={(event) => event.target.value !== props.value && props.onCommit?.(event.target.value)}
    />
  );
}
