import { useEffect } from "react";
import { StartDialog } from "../../run";
import { useSession } from "../../session";
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
import { Notices } from "../Notices";

/** The open dialog and the notices. */
export function Dialogs() {
  const dialog = usePanels((state) => state.dialog);
  const conflict = useSession((state) => state.conflict);
  useEffect(() => {
    if (conflict) panels.open("conflict");
  }, [conflict]);
  return (
    <>
      {dialog === "conflict" && conflict && (
        <ConflictDialog conflict={conflict} close={panels.close} />
      )}
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
