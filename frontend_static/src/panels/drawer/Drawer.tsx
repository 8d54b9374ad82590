import { PanelBottomClose, PanelBottomOpen } from "lucide-react";
import type { ReactNode } from "react";
import {
  Artifacts,
  AssistantView,
  Coverage,
  Prompts,
  Result,
  RunLog,
  useRunStore,
} from "../../run";
import { useSession, type SessionState } from "../../session";
import { TabPanel, Tabs, type Tab } from "../../ui/Tabs";
import { countFindings } from "../findingLevels";
import { proposals } from "../proposals/reviewStore";
import { Pane } from "../Pane";
import { panels, usePanels } from "../panelState";
import { IconButton } from "../../ui/IconButton";
import { onDemand } from "../../ui/onDemand";
import { FindView } from "./FindView"; // Loaded at once: keys after Ctrl+F belong to its field.

const DiffView = onDemand("DiffView", () => import("./DiffView"));
const FindingsView = onDemand("FindingsView", () => import("./FindingsView"));
const HistoryView = onDemand("HistoryView", () => import("./HistoryView"));
const TextView = onDemand("TextView", () => import("./TextView"));

interface DrawerTab extends Tab<string> {
  draw: () => ReactNode;
}

interface PackTab extends DrawerTab {
  pages: readonly SessionState["page"][];
}

const STORED = ["pack"] as const;
const OPENED = ["pack", "demo"] as const;

const PACK_TABS: readonly PackTab[] = [
  { id: "findings", title: "Findings", pages: OPENED, draw: () => <FindingsView /> },
  { id: "text", title: "Text", pages: OPENED, draw: () => <TextView /> },
  { id: "find", title: "Find", pages: STORED, draw: () => <FindView /> },
  { id: "diff", title: "Diff", pages: STORED, draw: () => <DiffView /> },
  { id: "history", title: "History", pages: STORED, draw: () => <HistoryView /> },
  { id: "coverage", title: "Rehearsal", pages: OPENED, draw: () => <Coverage /> },
  {
    id: "assistant",
    title: "Assistant",
    pages: STORED,
    draw: () => <AssistantView review={(id) => void proposals.open(id)} />,
  },
];

const RUN_TABS: readonly DrawerTab[] = [
  { id: "log", title: "Run log", draw: () => <RunLog /> },
  { id: "prompts", title: "Prompts", draw: () => <Prompts /> },
  { id: "artifacts", title: "Artifacts", draw: () => <Artifacts /> },
  { id: "result", title: "Result", draw: () => <Result /> },
];

/** The drawer, for content that needs width: lists, texts, differences and the run log. */
export function Drawer() {
  const page = useSession((state) => state.page);
  const which = page === "run" ? "runDrawer" : "drawer";
  const open = usePanels((state) => state[which]);
  const chosenTab = usePanels((state) => state.drawerTab);
  const hasRun = useRunStore((state) => state.id !== null);
  const findings = useSession((state) => countFindings(state.findings));
  const tabs = [
    ...PACK_TABS.filter(({ pages }) => pages.includes(page)),
    ...(hasRun ? RUN_TABS : []),
  ];
  const current = tabs.find((tab) => tab.id === chosenTab) ?? tabs[0];
  if (!current) return null;
  const marked = tabs.map((tab) =>
    tab.id === "findings" && findings > 0
      ? { ...tab, mark: <span className="count">{findings}</span> }
      : tab,
  );
  const choose = (id: string) => panels.set({ drawerTab: id, [which]: true });
  const row = (
    <div className="pane-head">
      <Tabs label="Drawer" tabs={marked} current={open ? current.id : ""} onChange={choose} />
      <span className="spacer" />
      <IconButton
        label={open ? "Hide the drawer (`)" : "Show the drawer (`)"}
        onClick={() => panels.toggle(which)}
        Icon={open ? PanelBottomClose : PanelBottomOpen}
      />
    </div>
  );
  if (!open)
    return (
      <section className="pane bottom closed" aria-label="Drawer">
        {row}
      </section>
    );
  return (
    <Pane side="bottom" label="Drawer">
      {row}
      <TabPanel id={current.id}>{current.draw()}</TabPanel>
    </Pane>
  );
}
