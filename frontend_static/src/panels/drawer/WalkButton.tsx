import { Footprints } from "lucide-react";
import { runStore } from "../../run";
import { session, useSession, type Finding, type Overlay } from "../../session";
import { Button } from "../../ui/Button";

/** A button that shows the walk that proves a finding, if it has one. */
export function WalkButton({ finding }: { finding: Finding }) {
  const shown = useSession(
    (state) =>
      state.overlay !== null &&
      state.overlay === painted?.overlay &&
      painted.walk.join() === finding.walk.join(),
  );
  if (finding.walk.length === 0) return null;
  return (
    <Button kind="quiet small" aria-pressed={shown} onClick={() => paint(finding.walk, !shown)}>
      <Footprints className="icon" aria-hidden /> Show the path
    </Button>
  );
}

let painted: { walk: readonly string[]; overlay: Overlay } | null = null;

/** Remove a walk that is shown. */
export function hideWalk(): void {
  if (painted && session.state.overlay === painted.overlay) runStore.repaint();
}

/** Show a walk: its transitions and the states between them, also those of a proposal. */
function paint(walk: readonly string[], on: boolean): void {
  if (!on) return hideWalk();
  const { states, transitions } = session.state.fullGraph;
  const arrows = walk.flatMap((id) => transitions.get(id) ?? []);
  const passed = arrows
    .flatMap((arrow) => [arrow.source, arrow.target])
    .filter((id) => states.has(id));
  const overlay: Overlay = {
    active: new Set(passed.slice(-1)),
    waiting: new Set(),
    failed: new Set(),
    visits: new Map(passed.map((id) => [id, 1])),
    taken: new Map(arrows.map((arrow) => [arrow.id, 1])),
    lastTaken: null,
    unreached: null,
  };
  painted = { walk, overlay };
  session.setOverlay(overlay);
}
