import type { PackPlan } from "../../session";
import { CaseChanges } from "./CaseChanges";
import { Checks } from "./Checks";
import { DrawnDifference } from "./DrawnDifference";
import { FindingChanges } from "./FindingChanges";
import { Mono } from "../../ui/Mono";

const OF_PACK =
  "Drawing of the difference: states and transitions that are added, changed or removed";

/** The changes of one pack in a proposal. `titled`: with its name, because there are several. */
export function ProposedPackView({ plan, titled }: { plan: PackPlan; titled: boolean }) {
  const changes = (
    <>
      {plan.svg && <DrawnDifference svg={plan.svg} alt={OF_PACK} />}
      <FindingChanges added={plan.findings_new} fixed={plan.findings_fixed} />
      <CaseChanges cases={plan.cases} />
      <Checks plan={plan} />
    </>
  );
  if (!titled) return changes;
  return (
    <section className="pack-plan" aria-label={plan.name} data-pack-plan={plan.pack}>
      <h3>
        {plan.name} <Mono kind="muted">{plan.main}</Mono>
      </h3>
      {changes}
    </section>
  );
}
