/**
 * The editor page: panes around the canvas. Each pane stores its own width and whether it is open.
 */

import { useEffect } from "react";
import { Canvas } from "../canvas";
import {
  Dialogs,
  Drawer,
  FolderConflictNotice,
  GitWinsNotice,
  Inspector,
  panels,
  ProposalBar,
  RunBar,
  RunQuestions,
  Sidebar,
  TopBar,
} from "../panels";
import { listenForKeys, useSession } from "../session";

/** The editor. For a run it is the same page, read-only. */
export function Editor() {
  useEffect(() => listenForKeys(), []);
  useEffect(() => afterFirstDrawing(() => panels.set({ filled: true })), []);
  return (
    <div className="shell">
      <TopBar />
      <GitWinsNotice />
      <FolderConflictNotice />
      <ProposalBar />
      <div className="shell-body">
        <div className="shell-main">
          <div className="shell-middle">
            <Sidebar />
            <main className="shell-canvas" aria-label="Canvas">
              <CanvasOrProblem />
            </main>
          </div>
          <Drawer />
          <RunQuestions />
        </div>
        <Inspector />
      </div>
      <RunBar />
      <Dialogs />
    </div>
  );
}

/** The canvas is mounted in one frame and draws its graph in the next one. */
function afterFirstDrawing(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(act)));
}

function CanvasOrProblem() {
  const phase = useSession((state) => state.phase);
  const problem = useSession((state) => state.problem);
  if (phase === "failed")
    return (
      <div className="shell-problem" role="alert">
        <h2>This page could not be opened</h2>
        <p>{problem}</p>
        <a className="button" href="/">
          Back to all packs
        </a>
      </div>
    );
  return <Canvas />;
}
