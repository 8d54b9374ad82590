import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useSession } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { isFinished } from "../model/events";
import { runStore, useRunStore } from "../model/runStore";
import { Button } from "../../ui/Button";

/** Removal of an agent and of its edges from the shown run. The pack keeps them. */
export function TeamChanges({ node }: { node: string }) {
  const graph = useSession((state) => state.fullGraph);
  const over = useRunStore((state) => isFinished(state.status) || state.at !== null);
  const [asking, setAsking] = useState(false);
  if (over || !graph.states.has(node)) return null;
  const edges = [...graph.transitions.values()].filter(
    (one) => one.source === node || one.target === node,
  );
  return (
    <section className="team-changes" aria-label={`${node} in this run`}>
      <h3 className="small muted">In this run</h3>
      {edges.map((edge) => (
        <div key={edge.id} className="row">
          <span className="small truncate">
            {edge.source} → {edge.target} <span className="muted">{edge.label}</span>
          </span>
          <span className="spacer" />
          <Button
            kind="quiet small"
            aria-label={`Remove the edge from ${edge.source} to ${edge.target}, ${edge.label}`}
            title="No more handoffs along this transition in this run; the pack keeps the edge"
            onClick={() => void runStore.signal({ type: "Fire", event: `remove_edge:${edge.id}` })}
          >
            <Trash2 className="icon" aria-hidden />
          </Button>
        </div>
      ))}
      {graph.states.size > 1 && (
        <Button kind="small" onClick={() => setAsking(true)}>
          <Trash2 className="icon" aria-hidden /> Remove the agent…
        </Button>
      )}
      {asking && <RemoveAgent node={node} edges={edges.length} close={() => setAsking(false)} />}
    </section>
  );
}

function RemoveAgent({ node, edges, close }: { node: string; edges: number; close: () => void }) {
  const inbox = useRunStore((state) => state.head.team.agents[node]?.inbox ?? 0);
  const busy = useRunStore((state) => Object.values(state.head.positions).includes(node));
  const lost = [
    busy ? "ends its current turn" : "",
    inbox > 0 ? `drops ${inbox} unread ${inbox === 1 ? "message" : "messages"}` : "",
    edges > 0 ? `removes ${edges} ${edges === 1 ? "edge" : "edges"}` : "",
  ].filter(Boolean);
  return (
    <Dialog
      title={`Remove ${node} from this run`}
      onClose={close}
      onSubmit={() => {
        void runStore.signal({ type: "Fire", event: `remove_node:${node}` });
        close();
      }}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="danger">
            <Trash2 className="icon" aria-hidden /> Remove
          </Button>
        </>
      }
    >
      <p>
        {lost.length > 0 ? `This ${lost.join(", ")}. ` : ""}The orchestrator gets a message. The
        pack keeps the agent.
      </p>
    </Dialog>
  );
}
