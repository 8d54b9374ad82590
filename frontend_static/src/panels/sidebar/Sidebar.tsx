import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { Story, useRunStore } from "../../run";
import { session, useSession, type SessionState } from "../../session";
import { TabPanel, Tabs } from "../../ui/Tabs";
import { Files } from "./Files";
import { Outline } from "./Outline";
import { Palette } from "./Palette";
import { Pane } from "../Pane";
import { panels, usePanels, type SidebarTab } from "../panelState";
import { IconButton } from "../../ui/IconButton";

const TABS = [
  { id: "story", title: "Story" },
  { id: "palette", title: "Palette" },
  { id: "outline", title: "Outline" },
  { id: "files", title: "Files" },
] as const satisfies readonly { id: SidebarTab; title: string }[];

/** The sidebar: palette, outline and files. */
export function Sidebar() {
  const open = usePanels((state) => state.sidebar);
  const chosenTab = usePanels((state) => state.sidebarTab);
  const page = useSession((state) => state.page);
  const hasRun = useRunStore((state) => state.id !== null);
  const runTab = usePanels((state) => state.runSidebarTab);
  const tabs = TABS.filter(({ id }) => isOffered(id, hasRun, page));
  const wanted = hasRun ? runTab : chosenTab;
  const tab = tabs.some(({ id }) => id === wanted) ? wanted : tabs[0]!.id;
  if (!open)
    return (
      <div className="closed-pane left">
        <IconButton
          label="Show the left pane ([)"
          onClick={() => panels.toggle("sidebar")}
          Icon={PanelLeftOpen}
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
          onChange={(leftTab) =>
            panels.set(hasRun ? { runSidebarTab: leftTab } : { sidebarTab: leftTab })
          }
        />
        <IconButton
          label="Hide the left pane ([)"
          onClick={() => panels.toggle("sidebar")}
          Icon={PanelLeftClose}
        />
      </div>
      <TabPanel id={tab}>
        {tab === "story" && <Story showLog={showLog} />}
        {tab === "palette" && <Palette />}
        {tab === "outline" && <Outline />}
        {tab === "files" && <Files />}
      </TabPanel>
    </Pane>
  );
}

/** While a run is shown, its story replaces the palette. */
function isOffered(id: SidebarTab, hasRun: boolean, page: SessionState["page"]): boolean {
  if (id === "story") return hasRun;
  if (id === "palette") return !hasRun && page === "pack";
  return id === "outline" || page !== "run";
}

function showLog(): void {
  panels.set({ drawerTab: "log", [session.state.page === "run" ? "runDrawer" : "drawer"]: true });
}
