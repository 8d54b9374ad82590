import { FileDiff as DiffIcon } from "lucide-react";
import { FileDiff } from "../../ui/FileDiff";
import { runStore } from "../model/runStore";
import type { AgentEntry } from "./agentEntries";
import { splitDiff } from "./splitDiff";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";

/** The changes that each turn of an agent made in the workspace, newest first, by file. */
export function Diffs({ entries }: { entries: readonly AgentEntry[] }) {
  const turns = entries.filter((entry) => entry.kind === "diff").reverse();
  if (turns.length === 0)
    return (
      <Empty Icon={DiffIcon} title="Nothing changed yet">
        File changes of its turns appear here.
      </Empty>
    );
  return (
    <div className="scroll node-list">
      {turns.map((turn) => (
        <section key={turn.n} className="node-diff" aria-label={`Turn ${turn.turn}`}>
          <h4>
            <Button kind="link" title={`To event ${turn.n}`} onClick={() => runStore.seek(turn.n)}>
              Turn {turn.turn}
            </Button>
          </h4>
          {splitDiff(turn.diff).map((file) => (
            <div key={file.path}>
              <p className="small">
                <span className="level-ok">+{file.added}</span>{" "}
                <span className="level-error">−{file.removed}</span>{" "}
                <span className="muted">{file.how}</span>
              </p>
              <FileDiff path={file.path} diff={file.diff} />
            </div>
          ))}
        </section>
      ))}
    </div>
  );
}
