import { DiffCounts, TextDiff, useDiff } from "../ui/TextDiff";
import type { Difference } from "./promptConfig";

/** The differences between two versions of a role, text by text. */
export function RoleChanges({
  differences,
  same,
}: {
  differences: readonly Difference[];
  same: string;
}) {
  if (differences.length === 0) return <p className="help">{same}</p>;
  return differences.map((one) => <Change key={one.title} difference={one} />);
}

function Change({ difference }: { difference: Difference }) {
  const { title, before, after } = difference;
  const diff = useDiff(before, after);
  return (
    <section className="prompt-part" aria-label={title} data-difference={title}>
      <h4>
        {title} <DiffCounts diff={diff} />
      </h4>
      <TextDiff diff={diff} />
    </section>
  );
}
