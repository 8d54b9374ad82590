/**
 * Buttons in the corner: zoom, fit and tidy. Each runs a command, as keys and the command palette
 * do.
 */

import { Maximize, Minus, Plus, Sparkles } from "lucide-react";
import { useStore } from "zustand";
import { runCommand } from "../../session";
import { useStage } from "./stageContext";

export function Controls() {
  const stage = useStage();
  const zoom = useStore(stage.view, (view) => Math.round(view.zoom * 100));
  return (
    <div className="controls" role="toolbar" aria-label="View">
      <Button name="zoom.out" label="Zoom out (−)" icon={<Minus size={15} />} />
      <button
        type="button"
        className="controls-zoom"
        title="Actual size (0)"
        aria-label={`Zoom ${zoom} %. Press for actual size`}
        onClick={() => runCommand("zoom.actual")}
      >
        {zoom}%
      </button>
      <Button name="zoom.in" label="Zoom in (+)" icon={<Plus size={15} />} />
      <span className="controls-gap" />
      <Button name="fit" label="Fit the whole graph (Shift+1)" icon={<Maximize size={15} />} />
      <Button name="tidy" label="Tidy up (Shift+L)" icon={<Sparkles size={15} />} />
    </div>
  );
}

function Button({ name, label, icon }: { name: string; label: string; icon: React.ReactNode }) {
  return (
    <button type="button" title={label} aria-label={label} onClick={() => runCommand(name)}>
      {icon}
    </button>
  );
}
