import { useState, type ReactNode } from "react";
import { TabPanel, Tabs } from "../../ui/Tabs";
import { Result } from "../result/Result";

const TABS = [
  { id: "run-result", title: "Result" },
  { id: "run-setup", title: "Setup" },
] as const;

type TabId = (typeof TABS)[number]["id"];

/**
 * The inspector of a run's own page while nothing is selected: the result so far. `setup` is the
 * form of the pack.
 */
export function RunInspector({ setup }: { setup: ReactNode }) {
  const [tab, setTab] = useState<TabId>("run-result");
  return (
    <div className="node-inspector" data-run-inspector>
      <div className="node-tabs">
        <Tabs label="About this run" tabs={TABS} current={tab} onChange={setTab} />
      </div>
      <TabPanel id={tab}>{tab === "run-setup" ? setup : <Result />}</TabPanel>
    </div>
  );
}
