import { useEffect, useState } from "react";
import { loadRunViews, StartDialog } from "../../run";
import { useSession } from "../../session";
import { panels, usePanels } from "../panelState";
import { BindDialog } from "../roleBinding/BindDialog";
import { Notices } from "../Notices";
import { againFromUrl, openDialogFromUrl } from "./dialogFromUrl";
import { useUpstream } from "../upstream/upstreamStore";
import { onDemand } from "../../ui/onDemand";

const CommitDialog = onDemand("CommitDialog", () => import("./CommitDialog"));
const ConflictDialog = onDemand("ConflictDialog", () => import("./ConflictDialog"));
const ConvertDialog = onDemand("ConvertDialog", () => import("./ConvertDialog"));
const ExportDialog = onDemand("ExportDialog", () => import("./ExportDialog"));
const GitDialog = onDemand("GitDialog", () => import("./GitDialog"));
const ModelsDialog = onDemand("ModelsDialog", () => import("../models/ModelsDialog"));
const ConflictPanel = onDemand("ConflictPanel", () => import("../upstream/ConflictPanel"));
const ProposeDialog = onDemand("ProposeDialog", () => import("../upstream/ProposeDialog"));
const FollowBranchDialog = onDemand(
  "FollowBranchDialog",
  () => import("../upstream/FollowBranchDialog"),
);
const PullDialog = onDemand("PullDialog", () => import("../upstream/PullDialog"));
const RecordedRunDialog = onDemand("RecordedRunDialog", () => import("./RecordedRunDialog"));
const ToolsDialog = onDemand("ToolsDialog", () => import("../tools/ToolsDialog"));

/** Show the log of a started run. The focus goes to the canvas, where it is announced. */
function showStarted(): void {
  panels.showDrawer("log");
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(".canvas")?.focus({ preventScroll: true }),
  );
}

/** The open dialog and the notices. */
export function Dialogs() {
  const dialog = usePanels((state) => state.dialog);
  const conflict = useSession((state) => state.conflict);
  const decision = useUpstream((state) => state.decision);
  useEffect(() => {
    if (conflict) panels.open("conflict");
  }, [conflict]);
  const [again, setAgain] = useState(againFromUrl);
  useEffect(openDialogFromUrl, []);
  useEffect(() => {
    if (dialog === "start-run") loadRunViews();
  }, [dialog]);
  return (
    <>
      {dialog === "conflict" && conflict && (
        <ConflictDialog conflict={conflict} close={panels.close} />
      )}
      {dialog === "export" && <ExportDialog close={panels.close} />}
      {dialog === "convert" && <ConvertDialog close={panels.close} />}
      {dialog === "commit" && <CommitDialog close={panels.close} />}
      {dialog === "git" && <GitDialog close={panels.close} />}
      {dialog === "recorded-run" && <RecordedRunDialog close={panels.close} />}
      {dialog === "tools" && <ToolsDialog close={panels.close} />}
      {dialog === "models" && <ModelsDialog close={panels.close} />}
      {dialog === "follow-branch" && <FollowBranchDialog close={panels.close} />}
      {dialog === "pull" && <PullDialog close={panels.close} />}
      {dialog === "propose" && <ProposeDialog close={panels.close} />}
      {decision && <ConflictPanel key={decision.key} plan={decision} />}
      {dialog === "start-run" && (
        <StartDialog
          again={again}
          close={() => (setAgain(null), panels.close())}
          started={showStarted}
        />
      )}
      <BindDialog />
      <Notices />
    </>
  );
}
