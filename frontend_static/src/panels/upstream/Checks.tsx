import type { PackPlan } from "../../session";
import { DrawnDifference } from "./DrawnDifference";
import { siteUrl } from "../../ui/siteUrl";

type Coverage = NonNullable<PackPlan["coverage"]>["after"];

/** The coverage of rehearsals before and after, and recorded runs that would diverge. */
export function Checks({ plan }: { plan: PackPlan }) {
  const { coverage, diverging_runs: runs } = plan;
  if (!coverage || !runs) return null;
  return (
    <section aria-label="Checks" className="proposal-checks">
      <h3>Coverage of rehearsals</h3>
      <p>
        Before: {coverageText(coverage.before)}. After: {coverageText(coverage.after)}.
      </p>
      <h3>Recorded runs</h3>
      {runs.length === 0 ? (
        <p>No recorded run would diverge.</p>
      ) : (
        <ul>
          {runs.map((one) => (
            <li key={one.run}>
              <a href={siteUrl(`/runs/${one.run}/`)}>Run {one.run.slice(0, 8)}</a> at event {one.n}:{" "}
              {one.message}
              {one.svg && (
                <DrawnDifference svg={one.svg} alt="Drawing of the first divergence of this run" />
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const coverageText = (one: Coverage): string =>
  one.problem || `${one.taken} of ${one.of} transitions`;
