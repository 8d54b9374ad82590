/** Shown while the canvas has nothing to draw. */

import { MousePointerSquareDashed } from "lucide-react";
import { useStore } from "../../ui/store";
import { useSession } from "../../session";
import { useStage } from "./stageContext";

export function EmptyCanvas() {
  const stage = useStage();
  const { empty, layingOut } = useStore(stage.mode, (mode) => mode);
  const phase = useSession((state) => state.phase);
  const readOnly = useSession((state) => state.readOnly);
  const broken = useSession((state) => state.findings.some((finding) => finding.level === "error"));
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
      <h2>{broken ? "Nothing can be drawn yet" : "No states yet"}</h2>
      <p>
        {broken
          ? "The files cannot be read. The findings below name the place."
          : readOnly
            ? "This revision has no states."
            : "Drag a state here from the palette, or double-click."}
      </p>
    </div>
  );
}
