import { shallow } from "../../session";
import { isFinished } from "../model/events";
import { runStore, useRunStore } from "../model/runStore";
import { Button } from "../../ui/Button";

const MODES = {
  INTERACTIVE:
    "When all agents are idle, a person decides what is next. Press to let the orchestrator continue by itself.",
  AUTO: "When all agents are idle, the orchestrator continues by itself. Press to decide yourself.",
  PLANNING: "No commands run, and only docs/ may be written. Press to let code be changed.",
  IMPLEMENTATION: "Code may be changed and commands run. Press to allow planning alone.",
} as const;

type Mode = keyof typeof MODES;

/** The modes of a run with agents, with buttons to switch them. */
export function RunModes() {
  const { runMode, globalMode } = useRunStore(
    ({ head }) => ({ runMode: head.team.runMode, globalMode: head.team.globalMode }),
    shallow,
  );
  const over = useRunStore((state) => isFinished(state.status));
  if (!(runMode in MODES) || !(globalMode in MODES)) return null;
  return (
    <span className="modes" role="group" aria-label="Modes of the run">
      <ModeSwitch
        now={runMode as Mode}
        other={runMode === "AUTO" ? "INTERACTIVE" : "AUTO"}
        over={over}
      />
      <ModeSwitch
        now={globalMode as Mode}
        other={globalMode === "PLANNING" ? "IMPLEMENTATION" : "PLANNING"}
        over={over}
      />
    </span>
  );
}

function ModeSwitch({ now, other, over }: { now: Mode; other: Mode; over: boolean }) {
  return (
    <Button
      kind="quiet small"
      title={over ? undefined : MODES[now]}
      aria-label={`${now}. Switch to ${other}`}
      disabled={over}
      onClick={() => void runStore.signal({ type: "Fire", event: other })}
    >
      {now.toLowerCase()}
    </Button>
  );
}
