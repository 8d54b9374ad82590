import type { Run } from "../../session";
import { siteUrl } from "../../ui/siteUrl";

/** A link to the run from which this one was forked. */
export function ForkedFrom({ run }: { run: Run }) {
  const from = run.forked_from;
  if (!from) return null;
  return (
    <a
      className="small muted"
      href={siteUrl(`/runs/${from.run}/`)}
      data-forked-from={from.run}
      title={`Forked from run ${from.run}`}
    >
      fork at {from.at}
    </a>
  );
}
