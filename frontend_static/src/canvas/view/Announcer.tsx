/** Says what is selected, for those who do not see it. The far view has no elements to read. */

import { useSession } from "../../session";

export function Announcer() {
  const text = useSession((state) => {
    const { element, graph, selection, findingsOf } = state;
    if (selection.size > 1) return `${selection.size} elements selected`;
    if (element.startsWith("transition:")) {
      const arrow = graph.transitions.get(element.slice("transition:".length));
      return arrow ? `Arrow ${arrow.label} from ${arrow.source} to ${arrow.target}` : "";
    }
    const id = element.startsWith("state:") ? element.slice(6) : null;
    const found = id === null ? undefined : graph.states.get(id);
    if (!found) return "";
    const findings = findingsOf.get(element)?.length ?? 0;
    const out = selection.has(element) ? describeOutgoing(graph.transitions.values(), found.id) : "";
    return [
      `State ${found.id}`,
      found.kind,
      findings ? `${findings} findings` : "",
      out,
    ].filter(Boolean).join(", ");
  });
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}

function describeOutgoing(arrows: Iterable<{ source: string; label: string; target: string }>, id: string): string {
  const found: string[] = [];
  for (const arrow of arrows) {
    if (arrow.source === id) found.push(`${arrow.label} to ${arrow.target}`);
    if (found.length > 8) break;
  }
  return found.length ? `leads on with ${found.join("; ")}` : "leads nowhere";
}
