/** The text editor. CodeMirror itself is a chunk of its own, loaded when the first editor is shown. */

import { lazy, Suspense } from "react";
import type { CodeProps } from "./code/types";

const Editor = lazy(() => import("./code/Editor"));

export type { CodeProps, Mark } from "./code/types";

export function Code(props: CodeProps) {
  return (
    <Suspense fallback={<pre className="code-waiting">{props.value}</pre>}>
      <Editor {...props} />
    </Suspense>
  );
}
