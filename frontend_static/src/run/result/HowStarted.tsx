import { useRunLog, useRunStore } from "../model/runStore";
import { howStarted } from "./howStarted";

/** The start of the run, from its first event. */
export function HowStarted() {
  const run = useRunStore((state) => state.run);
  const [first] = useRunLog();
  if (!run || first?.type !== "run.started") return null;
  return <Facts facts={howStarted(first, run)} />;
}

function Facts({ facts }: { facts: readonly [string, string][] }) {
  return (
    <section aria-label="Start of this run">
      <h3>Start of this run</h3>
      <dl className="result-totals">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd data-started={name}>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
