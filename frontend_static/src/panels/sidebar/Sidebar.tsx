import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { useSession } from "../../session";
import { TabPanel, Tabs } from "../../ui/Tabs";
import { Files } from "./Files";
import { Outline } from "./Outline";
import { Palette } from "./Palette";
import { Pane } from "../Pane";
import { panels, usePanels, type SidebarTab } from "../panelState";
import { IconButton } from "../../ui/IconButton";

const TABS = [
  { id: "palette", title: "Palette" },
  { id: "outline", title: "Outline" },
  { id: "files", title: "Files" },
] as const satisfies readonly { id: SidebarTab; title: string }[];

/** The sidebar: palette, outline and files. */
export function Sidebar() {
  const open = usePanels((state) => state.sidebar);
  const chosenTab = usePanels((state) => state.sidebarTab);
  const readOnly = useSession((state) => state.readOnly);
  const tabs = readOnly ? TABS.slice(1, 2) : TABS;
  const tab = readOnly ? "outline" : chosenTab;
  if (!open)
    return (
      <div className="closed-pane left">
        <IconButton
          label="Show the left pane ([)"
          onClick={() => panels.toggle("sidebar")}
          icon={<PanelLeftOpen className="icon" aria-hidden />}
        />
      </div>
    );
  return (
    <Pane side="left" label="Parts of the pack">
      <div className="pane-head">
        <Tabs
          label="Parts of the pack"
          tabs={tabs}
          current={tab}
          onChange={(leftTab) => panels.set({ sidebarTab: leftTab })}
        />
        <IconButton
          label="Hide the left pane ([)"
          onClick={() => panels.toggle("sidebar")}
          icon={<PanelLeftClose className="icon" aria-hidden />}
        />
      </div>
      <TabPanel id={tab}>
        {tab === "palette" && <Palette />}
        {tab === "outline" && <Outline />}
        {tab === "files" && <Files />}
      </TabPanel>
    </Pane>
  );
}
