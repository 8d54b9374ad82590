/** Shown while the canvas has nothing to draw. */

import { MousePointerSquareDashed } from "lucide-react";
import { useStore } from "zustand";
import { useSession } from "../../session";
import { useStage } from "./stageContext";

export function EmptyCanvas() {
  const stage = useStage();
  const { empty, layingOut } = useStore(stage.mode, (mode) => mode);
  const phase = useSession((state) => state.phase);
  const readOnly = useSession((state) => state.readOnly);
  const error = useSession((state) => state.findings.find((one) => one.level === "error"));
  if (phase === "loading" || layingOut)
    return (
      <div className="empty-canvas" role="status">
        <p>{layingOut ? "Laying out…" : "Opening…"}</p>
      </div>
    );
  if (phase !== "ready" || !empty) return null;
  return (
    <div className="empty-canvas">
      <MousePointerSquareDashed size={36} aria-hidden />
      <h2>{error ? "Nothing can be drawn yet" : "No states yet"}</h2>
      {error && (
        <p className="empty-finding" data-empty-finding={error.code}>
          {!error.message.includes(error.path) && (
            <code translate="no">
              {error.path}
              {error.line > 0 && `:${error.line}`}{" "}
            </code>
          )}
          {error.message} <span className="muted">{error.hint}</span>
        </p>
      )}
      <p>
        {error
          ? "Repair the text below. The graph is drawn as soon as the files can be read."
          : readOnly
            ? "This revision has no states."
            : "Drag a state here from the palette, or double-click."}
      </p>
    </div>
  );
}
