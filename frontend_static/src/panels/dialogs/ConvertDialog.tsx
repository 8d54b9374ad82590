import "./export.css";

import { ArrowRight, Check, CircleDashed, CircleX, PlusCircle } from "lucide-react";
import { useState } from "react";
import {
  packs,
  session,
  useSession,
  type Conversion,
  type Fate,
  type ReportEntry,
} from "../../session";
import { Dialog } from "../../ui/Dialog";
import { SearchField } from "../../ui/SearchField";
import { panels } from "../panelState";
import { showElement } from "../showElement";
import { useRequest } from "../../ui/useRequest";
import { SendDialog } from "../../ui/SendDialog";
import { Button } from "../../ui/Button";
import { Mono } from "../../ui/Mono";
import { toggle } from "../../ui/toggle";
import { siteUrl } from "../../ui/siteUrl";

const FATES: readonly { fate: Fate; Icon: typeof Check; level: string }[] = [
  { fate: "dropped", Icon: CircleX, level: "error" },
  { fate: "approximated", Icon: CircleDashed, level: "warning" },
  { fate: "added", Icon: PlusCircle, level: "hint" },
  { fate: "kept", Icon: Check, level: "ok" },
];

/** Converts the pack into another dialect and shows the conversion report. */
export function ConvertDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const own = useSession((state) => state.fullGraph.dialect);
  const [to, setTo] = useState("");
  const [conversion, setConversion] = useState<Conversion | null>(null);
  const { value, error } = useRequest([], () => packs.dialects());
  const dialects = value ?? [];
  const here = dialects.find((one) => one.name === own);
  const others = dialects.filter((one) => here?.converts_to.includes(one.name));
  const target = others.find((one) => one.name === to) ?? others[0];
  const convert = async () => {
    if (!target) return;
    await session.whenSaved();
    setConversion(await packs.convert(pack, target.name));
  };
  if (conversion)
    return (
      <ConversionReport
        conversion={conversion}
        label={target?.label ?? conversion.report.target}
        close={close}
      />
    );
  return (
    <SendDialog
      title="Convert"
      close={close}
      send={convert}
      button="Convert"
      busyButton="Converting…"
      disabled={!target}
      failure={error}
    >
      {here && !here.converts_to.length ? (
        <p>{here.label} packs are not converted to other dialects.</p>
      ) : (
        <p>
          Creates a new pack; this one does not change. The report lists what was kept, changed and
          dropped.
        </p>
      )}
      <fieldset className="export-forms" hidden={!others.length}>
        <legend className="field-label">Into which dialect</legend>
        {others.map((one) => (
          <label key={one.name} className="driver" data-dialect={one.name}>
            <input
              type="radio"
              name="dialect"
              checked={one === target}
              onChange={() => setTo(one.name)}
            />
            <b>{one.label}</b>
          </label>
        ))}
      </fieldset>
    </SendDialog>
  );
}

function ConversionReport({
  conversion,
  label,
  close,
}: {
  conversion: Conversion;
  label: string;
  close: () => void;
}) {
  const { counts, report, findings } = conversion.report;
  const [shownFates, setShownFates] = useState<ReadonlySet<Fate>>(() => initialFates(counts));
  const [query, setQuery] = useState("");
  const needle = query.trim().toLowerCase();
  const rows = FATES.filter(({ fate }) => shownFates.has(fate)).flatMap(({ fate }) =>
    report.filter((one) => one.fate === fate && searchText(one).includes(needle)),
  );
  return (
    <Dialog
      wide
      title={`Converted into ${label}`}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Stay here</Button>
          <a className="button primary" href={siteUrl(`/packs/${conversion.pack.id}/`)}>
            Open {conversion.pack.name} <ArrowRight className="icon" aria-hidden />
          </a>
        </>
      }
    >
      <div className="toolbar tight">
        <SearchField label="Filter the report" value={query} onChange={setQuery} />
        {FATES.map(({ fate, level }) => (
          <Button
            key={fate}
            kind={`quiet small level-${level}`}
            data-fate={fate}
            aria-pressed={shownFates.has(fate)}
            onClick={() => setShownFates(toggle(shownFates, fate))}
          >
            {counts[fate]} {fate}
          </Button>
        ))}
      </div>
      <ul className="plain conversion-report" aria-label="Conversion report">
        {rows.map((one, index) => (
          <ReportRow key={index} entry={one} close={close} />
        ))}
      </ul>
      {rows.length === 0 && <p className="pane-note">{emptyText(counts, needle)}</p>}
      {findings.length > 0 && (
        <section aria-label="Findings of the new pack">
          <h3>Findings of the new pack</h3>
          <ul className="plain conversion-report">
            {findings.map((one, index) => (
              <li key={index} data-finding={one.code} className={`level-${one.level}`}>
                <span className="conversion-entry">
                  <span className="mono">{one.code}</span> {one.message}
                  {one.hint && <span className="muted"> {one.hint}</span>}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Dialog>
  );
}

/** The entries to show first: everything that was not kept, or everything if all was kept. */
function initialFates(counts: Record<Fate, number>): ReadonlySet<Fate> {
  const changed = FATES.map(({ fate }) => fate).filter(
    (fate) => fate !== "kept" && counts[fate] > 0,
  );
  return new Set<Fate>(changed.length ? changed : ["kept"]);
}

function emptyText(counts: Record<Fate, number>, needle: string): string {
  if (needle) return `No entry of the report matches “${needle}”.`;
  return counts.kept ? "Choose above what to list." : "There is nothing in the report.";
}

const searchText = (one: ReportEntry): string =>
  `${one.element} ${one.feature} ${one.fate} ${one.why} ${one.path}`.toLowerCase();

function ReportRow({ entry, close }: { entry: ReportEntry; close: () => void }) {
  const { Icon, level } = FATES.find((one) => one.fate === entry.fate) ?? FATES[0]!;
  const closeAnd = (show: () => void) => () => {
    close();
    show();
  };
  return (
    <li data-fate={entry.fate}>
      <Icon className={`icon level-${level}`} aria-label={entry.fate} />
      <span className="conversion-entry">
        {entry.fate === "added" || !entry.element ? (
          <Mono>{entry.element}</Mono>
        ) : (
          <Button
            kind="link mono"
            translate="no"
            onClick={closeAnd(() => showElement(entry.element))}
          >
            {entry.element}
          </Button>
        )}{" "}
        <b>{entry.feature}</b>
        {entry.why && <span className="muted"> {entry.why}</span>}
      </span>
      {entry.path && (
        <Button
          kind="link muted mono place"
          translate="no"
          title="Show in the text"
          onClick={closeAnd(() => panels.showFile(entry.path, entry.line))}
        >
          {entry.path.split("/").at(-1)}
          {entry.line > 0 && `:${entry.line}`}
        </Button>
      )}
    </li>
  );
}
