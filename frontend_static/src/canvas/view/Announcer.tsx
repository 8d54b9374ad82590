/** Announces the selection to screen readers, because the far view has no elements to read. */

import { cardFindings, useSession } from "../../session";

export function Announcer() {
  const text = useSession(({ element, graph, selection, findingsOf }) => {
    if (selection.size > 1) return `${selection.size} elements selected`;
    if (element.startsWith("transition:")) {
      const arrow = graph.transitions.get(element.slice("transition:".length));
      return arrow ? `Arrow ${arrow.label} from ${arrow.source} to ${arrow.target}` : "";
    }
    const id = element.startsWith("state:") ? element.slice(6) : null;
    const state = id === null ? undefined : graph.states.get(id);
    if (!state) return "";
    const findings = cardFindings({ findingsOf }, state).length;
    const out = selection.has(element)
      ? describeOutgoing(graph.transitions.values(), state.id)
      : "";
    return [`State ${state.id}`, state.kind, findings ? `${findings} findings` : "", out]
      .filter(Boolean)
      .join(", ");
  });
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}

function describeOutgoing(
  arrows: Iterable<{ source: string; label: string; target: string }>,
  id: string,
): string {
  const targets: string[] = [];
  for (const arrow of arrows) {
    if (arrow.source === id) targets.push(`${arrow.label} to ${arrow.target}`);
    if (targets.length > 8) break;
  }
  return targets.length ? `transitions: ${targets.join("; ")}` : "no transitions";
}
