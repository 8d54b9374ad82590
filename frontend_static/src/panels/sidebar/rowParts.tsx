import { useSession } from "../../session";

/** The change of an element in the difference that is shown; "" for none. */
export const useDiffText = (element: string): string =>
  useSession(({ comparison }) => {
    const isChanged = comparison?.proposed?.fields.has(element);
    const diff = comparison?.marks.get(element) ?? (isChanged ? "changed" : "");
    return diff && comparison?.proposed ? `proposed: ${diff}` : diff;
  });

export function DiffBadge({ element }: { element: string }) {
  const diff = useDiffText(element);
  const finding = useSession((state) => state.comparison?.proposed?.findings.get(element)?.[0]);
  return (
    <>
      {diff && <span className="mini">{diff}</span>}
      {finding && (
        <i
          className={`level-dot hollow ${finding.level}`}
          role="img"
          aria-label={`new finding: ${finding.message}`}
        />
      )}
    </>
  );
}

export function SectionTitle({ title, count }: { title: string; count: number }) {
  return (
    <>
      <span>{title}</span>
      <span className="muted">{count}</span>
    </>
  );
}

export function FindingDot({ level }: { level: string | undefined }) {
  if (!level) return null;
  return <i className={`level-dot ${level}`} role="img" aria-label={`has a ${level}`} />;
}
