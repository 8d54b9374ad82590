import type { GitPlan } from "../../session";
import { FileDiff } from "../../ui/FileDiff";
import { Mono } from "../../ui/Mono";
import { Pre } from "../../ui/Pre";

/** The preview of an export: the commit it continues, each file's difference, the conflicts. */
export function GitPlanView({ plan, branch }: { plan: GitPlan; branch: string }) {
  if (plan.unchanged) {
    return (
      <p role="status">
        The pack has no changes since <code translate="no">{plan.parent.slice(0, 12)}</code>. There
        is nothing to commit.
      </p>
    );
  }
  if (plan.conflicts.length > 0) return <Conflicts plan={plan} branch={branch} />;
  return (
    <section aria-label="Preview" data-git-plan={plan.tree}>
      <p role="status">{summary(plan, branch)}</p>
      {plan.findings.length > 0 && (
        <div className="notice error" role="alert">
          <div>
            Merged, the pack has new errors:
            <ul>
              {plan.findings.map((finding, index) => (
                <li key={index}>
                  <Mono>{finding.code}</Mono> {finding.message}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {plan.files.map((file) => {
        const title = `${file.path} (${file.change})`;
        if (file.diff) return <FileDiff key={file.path} path={title} diff={file.diff} />;
        return (
          <p key={file.path} className="mono" translate="no">
            {title}
          </p>
        );
      })}
    </section>
  );
}

function summary(plan: GitPlan, branch: string): string {
  const count = plan.files.length === 1 ? "One file changes" : `${plan.files.length} files change`;
  const parent = plan.parent.slice(0, 12);
  if (plan.new_branch) {
    return `${count} on the new branch ${branch}${parent && `, which starts at ${parent}`}.`;
  }
  const merged = plan.merges ? " Its newer commits are merged with the pack's changes." : "";
  return `${count} on the branch ${branch}, after ${parent}.${merged}`;
}

function Conflicts({ plan, branch }: { plan: GitPlan; branch: string }) {
  return (
    <section aria-label="Conflicts">
      <div className="notice error" role="alert">
        <div>
          {plan.base
            ? `The pack and the branch ${branch} changed the same place.`
            : "Files in the repository differ from the pack, and its base commit is unknown."}
          <div className="help">
            {plan.base
              ? "Export to a new branch and merge it with git."
              : "Enter the commit that the pack is based on. HEAD replaces the repository's files."}
          </div>
        </div>
      </div>
      {plan.conflicts.map((place) => (
        <section key={`${place.path}${place.line}`} className="conflict-place">
          <h3 className="mono" translate="no">
            {place.path}:{place.line}
          </h3>
          {place.reason && <p>{place.reason}</p>}
          <div className="side-by-side">
            <div>
              <h4>Theirs</h4>
              <Pre aria-label="Theirs">{place.theirs}</Pre>
            </div>
            <div>
              <h4>Yours</h4>
              <Pre aria-label="Yours">{place.yours}</Pre>
            </div>
          </div>
        </section>
      ))}
    </section>
  );
}
