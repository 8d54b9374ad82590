import type { Consequences } from "../../session";

/** The verdicts on cases before and after a change. */
export function CaseChanges({ cases }: { cases: Consequences["cases"] }) {
  if (cases.length === 0) return null;
  return (
    <section aria-label="Cases">
      <h3>
        Cases <span className="muted">{cases.length}</span>
      </h3>
      <ul className="plain">
        {cases.map((one) => (
          <li
            key={one.case}
            className={one.after === false ? "level-error" : undefined}
            data-case-change={one.case}
            data-holds={one.after ?? undefined}
          >
            {one.name}: {verdict(one.before)} → {verdict(one.after)}
            {one.after === false && one.message && `. ${one.message}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

function verdict(holds: boolean | null): string {
  if (holds === null) return "no verdict";
  return holds ? "holds" : "fails";
}
