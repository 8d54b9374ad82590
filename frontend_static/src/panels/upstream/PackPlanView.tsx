import type { PackPlan } from "../../session";
import { Checks } from "./Checks";
import { FindingChanges } from "./FindingChanges";

/** The changes of one pack in a proposal. `titled`: with its name, because there are several. */
export function PackPlanView({ plan, titled }: { plan: PackPlan; titled: boolean }) {
  const changes = (
    <>
      {plan.svg && <DrawnDifference svg={plan.svg} />}
      <FindingChanges added={plan.findings_new} fixed={plan.findings_fixed} />
      <Checks plan={plan} />
    </>
  );
  if (!titled) return changes;
  return (
    <section className="pack-plan" aria-label={plan.name} data-pack-plan={plan.pack}>
      <h3>
        {plan.name}{" "}
        <span className="mono muted" translate="no">
          {plan.main}
        </span>
      </h3>
      {changes}
    </section>
  );
}

/** The drawing as an image: scripts in it would not run, and it loads nothing. */
function DrawnDifference({ svg }: { svg: string }) {
  return (
    <figure className="drawn-difference">
      <img
        alt="Drawing of the difference: states and transitions that are added, changed or removed"
        src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`}
      />
    </figure>
  );
}
