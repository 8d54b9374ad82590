import { CircleAlert, CircleCheck, Lightbulb, TriangleAlert, X } from "lucide-react";
import { useEffect } from "react";
import { StartDialog } from "../../run";
import { session, useSession, type Notice } from "../../session";
import { CommandPalette } from "./CommandPalette";
import { ConflictDialog } from "./ConflictDialog";
import { ConvertDialog } from "./ConvertDialog";
import { ExportDialog } from "./ExportDialog";
import { GitDialog } from "./GitDialog";
import { HelpDialog } from "./HelpDialog";
import { ModelsDialog } from "../models/ModelsDialog";
import { ToolsDialog } from "../tools/ToolsDialog";
import { panels, usePanels } from "../panelState";
import { BindDialog } from "../roleBinding/BindDialog";

/** What stands above the page: the open dialog and the notices at the edge. */
export function Dialogs() {
  const dialog = usePanels((state) => state.dialog);
  const conflict = useSession((state) => state.conflict);
  useEffect(() => {
    if (conflict) panels.open("conflict");
  }, [conflict]);
  return (
    <>
      {dialog === "conflict" && conflict && <ConflictDialog conflict={conflict} close={panels.close} />}
      {dialog === "export" && <ExportDialog close={panels.close} />}
      {dialog === "convert" && <ConvertDialog close={panels.close} />}
      {dialog === "git" && <GitDialog close={panels.close} />}
      {dialog === "tools" && <ToolsDialog close={panels.close} />}
      {dialog === "models" && <ModelsDialog close={panels.close} />}
      {dialog === "help" && <HelpDialog close={panels.close} />}
      {dialog === "commands" && <CommandPalette close={panels.close} />}
      {dialog === "start-run" && (
        <StartDialog close={panels.close} started={() => panels.showDrawer("log")} />
      )}
      <BindDialog />
      <Notices />
    </>
  );
}

const ICONS = { error: CircleAlert, warning: TriangleAlert, hint: Lightbulb, ok: CircleCheck } as const;

function Notices() {
  const notices = useSession((state) => state.notices);
  return (
    <div className="toasts" role="region" aria-label="Notices" aria-live="polite">
      {notices.map((notice) => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function Toast({ notice }: { notice: Notice }) {
  const Icon = ICONS[notice.level];
  return (
    <div className={`toast ${notice.level}`} role={notice.level === "error" ? "alert" : "status"}>
      <Icon className={`icon level-${notice.level}`} aria-hidden />
      <div className="what">
        <div>{notice.text}</div>
        {notice.hint && <div className="help">{notice.hint}</div>}
      </div>
      <button
        type="button"
        className="button quiet small icon-only"
        aria-label="Dismiss"
        onClick={() => session.dismiss(notice.id)}
      >
        <X className="icon" aria-hidden />
      </button>
    </div>
  );
}
