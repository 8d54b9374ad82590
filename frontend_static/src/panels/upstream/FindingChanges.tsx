import type { Finding } from "../../session";
import { Mono } from "../../ui/Mono";

/** The findings that a change adds and removes. */
export function FindingChanges({ added, fixed }: { added: Finding[]; fixed: Finding[] }) {
  if (added.length + fixed.length === 0) return <p className="help">No finding changes.</p>;
  return (
    <>
      <FindingList title="New findings" findings={added} />
      <FindingList title="Fixed findings" findings={fixed} />
    </>
  );
}

function FindingList({ title, findings }: { title: string; findings: Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>
        {title} <span className="muted">{findings.length}</span>
      </h3>
      <ul className="plain finding-changes">
        {findings.map((finding, index) => (
          <li key={index} className={`level-${finding.level}`}>
            <Mono>{finding.code}</Mono> {finding.message}
          </li>
        ))}
      </ul>
    </section>
  );
}
