import {
  Download,
  Ellipsis,
  GitCompareArrows,
  GitFork,
  RotateCcw,
  Sprout,
  Tag,
} from "lucide-react";
import { useState } from "react";
import { Menu } from "../../ui/Menu";
import { ForkDialog } from "../start/ForkDialog";
import { EMPTY_DYNAMIC_GRAPH } from "../model/dynamicGraph";
import { onDemand } from "../../ui/onDemand";
import { SaveGraphDialog } from "./SaveGraphDialog";
import { runStore, useRunStore } from "../model/runStore";
import { siteUrl } from "../../ui/siteUrl";

const RunMarksDialog = onDemand("RunMarksDialog", () => import("../marks/RunMarksDialog"));

const shownEvent = (): number => {
  const { at, last } = runStore.store.getState();
  return at ?? last;
};

/** Further actions for the shown run: fork, save as a script, compare. */
export function RunMenu() {
  const run = useRunStore((state) => state.run);
  const [from, setFrom] = useState<number | null>(null);
  const [saving, setSaving] = useState<number | null>(null);
  const [marking, setMarking] = useState(false);
  const grew = useRunStore((state) => state.view.dynamicGraph !== EMPTY_DYNAMIC_GRAPH);
  if (!run) return null;
  return (
    <>
      <Menu
        label="More of this run"
        className="button quiet small icon-only"
        button={<Ellipsis className="icon" aria-hidden />}
        items={[
          {
            id: "fork",
            title: "Fork from here…",
            icon: <GitFork className="icon" aria-hidden />,
            run: () => setFrom(shownEvent()),
          },
          {
            id: "again",
            title: "Again with these inputs…",
            icon: <RotateCcw className="icon" aria-hidden />,
            href: siteUrl(`/packs/${run.pack}/?again=${run.id}`),
          },
          {
            id: "marks",
            title: "Tags, note and score…",
            icon: <Tag className="icon" aria-hidden />,
            run: () => setMarking(true),
          },
          {
            id: "script",
            title: "Save as a script",
            icon: <Download className="icon" aria-hidden />,
            href: siteUrl(`/api/v1/runs/${run.id}/script/`),
          },
          ...(grew
            ? [
                {
                  id: "graph",
                  title: "Save the graph as a new pack…",
                  icon: <Sprout className="icon" aria-hidden />,
                  run: () => setSaving(shownEvent()),
                },
              ]
            : []),
          {
            id: "before",
            title: "Compare with the run before",
            icon: <GitCompareArrows className="icon" aria-hidden />,
            href: siteUrl(`/runs/${run.id}/compare/`),
          },
          ...(run.forked_from
            ? [
                {
                  id: "origin",
                  title: "Compare with what it was forked from",
                  icon: <GitCompareArrows className="icon" aria-hidden />,
                  href: siteUrl(`/runs/${run.forked_from.run}/compare/${run.id}/`),
                },
              ]
            : []),
        ]}
      />
      {saving !== null && <SaveGraphDialog run={run} at={saving} close={() => setSaving(null)} />}
      {marking && (
        <RunMarksDialog
          run={run}
          close={() => setMarking(false)}
          saved={(now) => runStore.store.setState({ run: now })}
        />
      )}
      {from !== null && <ForkDialog run={run} at={from} close={() => setFrom(null)} />}
    </>
  );
}
