import { useSession, type FieldChange } from "../../session";
import { RunLink } from "./ProposalReview";

/** The changes of a reviewed proposal in one element, before and after. */
export function ProposedElement({ element }: { element: string }) {
  const proposed = useSession((state) => state.comparison?.proposed);
  const mark = useSession((state) => state.comparison?.marks.get(element));
  const was = useSession((state) => state.comparison?.was.get(element));
  if (!proposed) return null;
  const fields = proposed.fields.get(element) ?? [];
  const findings = proposed.findings.get(element === "pack" ? "" : element) ?? [];
  const run = proposed.takenBy.get(element);
  if (!mark && fields.length + findings.length === 0) return null;
  return (
    <section className="proposed-element notice hint" aria-label="Proposed here">
      {mark && <p>Proposed: {mark === "renamed" ? `renamed from ${was}` : mark}.</p>}
      {run && (
        <p className="level-error">
          A recorded run took it: <RunLink {...run} />
        </p>
      )}
      {fields.map((one) => (
        <Field key={one.pointer} {...one} />
      ))}
      {findings.map((one) => (
        <p key={one.key} className={`level-${one.level}`}>
          New finding {one.code}: {one.message}
        </p>
      ))}
    </section>
  );
}

function Field({ pointer, was, now }: FieldChange) {
  return (
    <p data-proposed-field={pointer}>
      <b>{pointer.slice(1) || "Value"}</b>: <del>{shown(was)}</del> → <ins>{shown(now)}</ins>
    </p>
  );
}

function shown(value: FieldChange["was"]): string {
  if (value === undefined) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
