import "./export.css";

import { ArrowRight, Check, CircleDashed, CircleX, PlusCircle } from "lucide-react";
import { useEffect, useState } from "react";
import { packs, session, errorMessage, useSession, type Conversion, type DialectInfo, type Fate, type ReportEntry, type ErrorMessage } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { showElement } from "../inspector/Inspector";
import { SearchField } from "../../ui/SearchField";
import { panels } from "../panelState";

const FATES: readonly { fate: Fate; title: string; Icon: typeof Check; level: string }[] = [
  { fate: "dropped", title: "dropped", Icon: CircleX, level: "error" },
  { fate: "approximated", title: "approximated", Icon: CircleDashed, level: "warning" },
  { fate: "added", title: "added", Icon: PlusCircle, level: "hint" },
  { fate: "kept", title: "kept", Icon: Check, level: "ok" },
];

/** The pack again in another dialect, with what became of every part of it. */
export function ConvertDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const own = useSession((state) => state.fullGraph.dialect);
  const [dialects, setDialects] = useState<DialectInfo[]>([]);
  const [to, setTo] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [made, setMade] = useState<Conversion | null>(null);
  useEffect(() => {
    packs.dialects().then(setDialects, (error: unknown) => setProblem(errorMessage(error)));
  }, []);
  const here = dialects.find((one) => one.name === own);
  const others = here?.converts ? dialects.filter((one) => one.name !== own && one.converts) : [];
  const target = others.find((one) => one.name === to) ?? others[0];
  const convert = async () => {
    if (!target) return;
    setBusy(true);
    setProblem(null);
    try {
      await session.whenSaved();
      setMade(await packs.convert(pack, target.name));
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setBusy(false);
  };
  if (made) return <ConversionReport made={made} label={target?.label ?? made.report.target} close={close} />;
  return (
    <Dialog
      title="Convert"
      onClose={close}
      onSubmit={() => void convert()}
      footer={
        <>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={busy || !target}>
            {busy ? "Converting…" : "Convert"}
          </button>
        </>
      }
    >
      {problem && <ErrorNotice {...problem} />}
      {here && !here.converts ? (
        <p>{here.label} packs are not converted: what a team of agents does is decided while it runs.</p>
      ) : (
        <p>A new pack is made; this one stays as it is. The report says what became of every part.</p>
      )}
      <fieldset className="handing-forms" hidden={!others.length}>
        <legend className="field-label">Into which dialect</legend>
        {others.map((one) => (
          <label key={one.name} className="driver" data-dialect={one.name}>
            <input type="radio" name="dialect" checked={one === target} onChange={() => setTo(one.name)} />
            <b>{one.label}</b>
          </label>
        ))}
      </fieldset>
    </Dialog>
  );
}

function ConversionReport({ made, label, close }: { made: Conversion; label: string; close: () => void }) {
  const { counts, report } = made.report;
  const [shown, setShown] = useState<ReadonlySet<Fate>>(() => initialFates(counts));
  const [query, setQuery] = useState("");
  const wanted = query.trim().toLowerCase();
  const rows = FATES.filter(({ fate }) => shown.has(fate)).flatMap(({ fate }) =>
    report.filter((one) => one.fate === fate && searchText(one).includes(wanted)),
  );
  const toggle = (fate: Fate) => {
    const next = new Set(shown);
    if (!next.delete(fate)) next.add(fate);
    setShown(next);
  };
  return (
    <Dialog
      wide
      title={`Converted into ${label}`}
      onClose={close}
      footer={
        <>
          <button type="button" className="button" onClick={close}>
            Stay here
          </button>
          <a className="button primary" href={`/packs/${made.pack.id}/`}>
            Open {made.pack.name} <ArrowRight className="icon" aria-hidden />
          </a>
        </>
      }
    >
      <div className="toolbar tight">
        <SearchField label="Filter the report" value={query} onChange={setQuery} />
        {FATES.map(({ fate, title, level }) => (
          <button
            key={fate}
            type="button"
            className={`button quiet small level-${level}`}
            data-fate={fate}
            aria-pressed={shown.has(fate)}
            onClick={() => toggle(fate)}
          >
            {counts[fate]} {title}
          </button>
        ))}
      </div>
      <ul className="handing-report" aria-label="What became of every part">
        {rows.map((one, index) => (
          <ReportRow key={index} told={one} close={close} />
        ))}
      </ul>
      {rows.length === 0 && <p className="pane-note">{emptyText(counts, wanted)}</p>}
    </Dialog>
  );
}

/** What is not as it was comes first; everything only where all of it was kept. */
function initialFates(counts: Record<Fate, number>): ReadonlySet<Fate> {
  const changed = FATES.map(({ fate }) => fate).filter((fate) => fate !== "kept" && counts[fate] > 0);
  return new Set<Fate>(changed.length ? changed : ["kept"]);
}

function emptyText(counts: Record<Fate, number>, wanted: string): string {
  if (wanted) return `Nothing in the report says “${wanted}”.`;
  return counts.kept ? "Choose above what to list." : "There is nothing in the report.";
}

const searchText = (one: ReportEntry): string =>
  `${one.element} ${one.feature} ${one.fate} ${one.why} ${one.path}`.toLowerCase();

function ReportRow({ told, close }: { told: ReportEntry; close: () => void }) {
  const { Icon, level } = FATES.find((one) => one.fate === told.fate) ?? FATES[0]!;
  const there = (show: () => void) => () => {
    close();
    show();
  };
  return (
    <li data-fate={told.fate}>
      <Icon className={`icon level-${level}`} aria-label={told.fate} />
      <span className="handing-what">
        {told.fate === "added" || !told.element ? (
          <span className="mono">{told.element}</span>
        ) : (
          <button type="button" className="button link mono" onClick={there(() => showElement(told.element))}>
            {told.element}
          </button>
        )}{" "}
        <b>{told.feature}</b>
        {told.why && <span className="muted"> {told.why}</span>}
      </span>
      {told.path && (
        <button
          type="button"
          className="button link muted mono place"
          title="Show in the text"
          onClick={there(() => panels.showFile(told.path, told.line))}
        >
          {told.path.split("/").at(-1)}
          {told.line > 0 && `:${told.line}`}
        </button>
      )}
    </li>
  );
}
