import type { Finding } from "../../session";
import { Mono } from "../../ui/Mono";
import { WalkButton } from "../drawer/WalkButton";

/** The findings that a change adds and removes. `walks`: the paths of new ones can be drawn. */
export function FindingChanges(props: { added: Finding[]; fixed: Finding[]; walks?: boolean }) {
  const { added, fixed, walks = false } = props;
  if (added.length + fixed.length === 0) return <p className="help">No finding changes.</p>;
  return (
    <>
      <FindingList title="New findings" findings={added} walks={walks} />
      <FindingList title="Fixed findings" findings={fixed} />
    </>
  );
}

function FindingList(props: { title: string; findings: Finding[]; walks?: boolean }) {
  const { title, findings, walks = false } = props;
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
            {walks && <WalkButton finding={finding} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
