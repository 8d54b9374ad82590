import { CircleCheck, Wrench } from "lucide-react";
import { Fragment, useEffect, useState } from "react";
import { AskButton } from "../../run";
import {
  packs,
  session,
  useSession,
  type DialectInfo,
  type Finding,
  type Level,
  isFixed,
} from "../../session";
import { SearchField } from "../../ui/SearchField";
import { panels } from "../panelState";
import { countFindings, countLabel, groupFindings, LEVEL_ICON, LEVELS } from "../findingLevels";
import { showElement } from "../showElement";
import { Button } from "../../ui/Button";
import { WalkButton } from "./WalkButton";
import { Empty } from "../../ui/Empty";
import { toggle } from "../../ui/toggle";

/** The pack's findings, worst first. A click shows the place; a fix is one click. */
export function FindingsView() {
  const findings = useSession((state) => state.findings);
  const [query, setQuery] = useState("");
  const [hidden, setHidden] = useState<ReadonlySet<Level>>(new Set());
  const [help, setHelp] = useState<string | null>(null);
  const [ownProfile, setOwnProfile] = useState(false);
  const needle = query.trim().toLowerCase();
  const others = findings.filter((one) => one.other_profile).length;
  const shown = findings.filter((one) => !(ownProfile && one.other_profile));
  const filtered = groupFindings(shown).filter(
    ({ lead, level, consequences }) =>
      !hidden.has(level) && [lead, ...consequences].some((one) => searchText(one).includes(needle)),
  );
  if (findings.length === 0)
    return (
      <Empty Icon={CircleCheck} title="No findings">
        Findings appear here while you edit: transitions without a target, unreachable states,
        prompts that are missing.
      </Empty>
    );
  return (
    <div className="split">
      <div className="split-main">
        <div className="toolbar tight">
          <SearchField label="Filter the findings" value={query} onChange={setQuery} />
          {LEVELS.map((level) => (
            <Button
              key={level}
              kind={`quiet small level-${level}`}
              aria-pressed={!hidden.has(level)}
              onClick={() => setHidden(toggle(hidden, level))}
            >
              {countLabel(countFindings(shown, level), level)}
            </Button>
          ))}
          {others > 0 && (
            <Button
              kind="quiet small"
              aria-pressed={!ownProfile}
              title="Hints about the behaviour of other profiles"
              onClick={() => setOwnProfile(!ownProfile)}
            >
              {`${others} of other profiles`}
            </Button>
          )}
        </div>
        <ul className="plain findings" aria-label="Findings">
          {filtered.map(({ lead, consequences }, index) => (
            <Fragment key={`${lead.key}${index}`}>
              <FindingRow finding={lead} showHelp={() => setHelp(lead.code)} />
              {lead.more !== undefined && <MoreFindings of={lead} more={lead.more} />}
              {consequences.length > 0 && (
                <li>
                  <details className="consequences">
                    <summary className="muted">
                      {`${consequences.length} ${consequences.length === 1 ? "consequence" : "consequences"}`}
                    </summary>
                    <ul className="plain findings" aria-label={`Consequences of ${lead.code}`}>
                      {consequences.map((one, number) => (
                        <FindingRow
                          key={`${one.key}${number}`}
                          finding={one}
                          showHelp={() => setHelp(one.code)}
                        />
                      ))}
                    </ul>
                  </details>
                </li>
              )}
            </Fragment>
          ))}
        </ul>
        {filtered.length === 0 && <p className="pane-note">No finding matches.</p>}
      </div>
      {help && <RuleHelp code={help} close={() => setHelp(null)} />}
    </div>
  );
}

/** The number of findings of a rule that are left out, and a button for all of them. */
function MoreFindings({ of, more }: { of: Finding; more: number }) {
  return (
    <li className="finding">
      <span className="muted">
        {`${more} more ${more === 1 ? "finding" : "findings"} of ${of.code}`}
      </span>
      <Button kind="quiet small" onClick={() => void session.refreshFindings({ all: true })}>
        Show all
      </Button>
    </li>
  );
}

function searchText(finding: Finding): string {
  return `${finding.code} ${finding.message} ${finding.path} ${finding.element} ${finding.hint}`.toLowerCase();
}

function FindingRow({ finding, showHelp }: { finding: Finding; showHelp: () => void }) {
  const readOnly = useSession(isFixed);
  const here = useSession((state) => state.element === (finding.element || "pack"));
  const Icon = LEVEL_ICON[finding.level];
  const go = () => {
    showElement(finding.element);
    if (finding.pointer) panels.showField(finding.pointer);
  };
  return (
    <li className="finding" data-finding={finding.code} aria-current={here || undefined}>
      <Icon className={`icon level-${finding.level}`} aria-label={finding.level} />
      <Button kind="link mono" translate="no" title="Help page of this rule" onClick={showHelp}>
        {finding.code}
      </Button>
      <button type="button" className="finding-text" onClick={go}>
        <span>{finding.message}</span>
        {finding.hint && <span className="muted"> {finding.hint}</span>}
      </button>
      {finding.path && (
        <Button
          kind="link muted mono place"
          translate="no"
          title="Show in the text"
          onClick={() => panels.showFile(finding.path, finding.line)}
        >
          {finding.path.split("/").at(-1)}
          {finding.line > 0 && `:${finding.line}`}
        </Button>
      )}
      <WalkButton finding={finding} />
      {finding.fix && !readOnly && (
        <Button kind="small" onClick={() => finding.fix && void session.edit(finding.fix.edits)}>
          <Wrench className="icon" aria-hidden /> {finding.fix.label}
        </Button>
      )}
      {!finding.fix && !readOnly && (
        <AskButton
          request={`Repair this finding of the rule ${finding.code}.`}
          about={`${finding.element || "pack"}: ${finding.message} ${finding.hint}`}
        />
      )}
    </li>
  );
}

let dialects: Promise<DialectInfo[]> | null = null;

/** The help page of a rule. */
function RuleHelp({ code, close }: { code: string; close: () => void }) {
  const [rule, setRule] = useState<DialectInfo["rules"][number] | null>(null);
  useEffect(() => {
    dialects ??= packs.dialects();
    dialects.then(
      (all) => setRule(all.flatMap((one) => one.rules).find((one) => one.code === code) ?? null),
      (error: unknown) => {
        dialects = null;
        session.notifyError(error);
      },
    );
  }, [code]);
  return (
    <section className="split-side" aria-label={`About ${code}`}>
      <div className="row">
        <h3 className="mono" translate="no">
          {rule ? <a href={`/rules/${code}/`}>{code}</a> : code}
        </h3>
        {rule && <span className={`badge ${rule.level}`}>{rule.level}</span>}
        <Button kind="quiet small" onClick={close}>
          Close
        </Button>
      </div>
      {rule ? (
        <>
          <p>
            <b>{rule.title}</b>
          </p>
          {rule.help.split(/\n\s*\n/).map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
        </>
      ) : (
        <p className="muted">Findings from reading a file have no help page.</p>
      )}
    </section>
  );
}
