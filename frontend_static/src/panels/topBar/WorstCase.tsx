import { Gauge } from "lucide-react";
import { useId, useState } from "react";
import { packs, useSession, type CallBound } from "../../session";
import { useRequest } from "../../ui/useRequest";
import { Button } from "../../ui/Button";
import { costText } from "../../ui/formatTime";
import { Mono } from "../../ui/Mono";

/** Milliseconds without a change. At 5,000 states the bound takes as long as an edit. */
const PAUSE = 300;

/** The largest number that a slider assumes for an unknown. */
const MOST = 100;

/** The assumption about the tokens of one call, as the API names it. */
const TOKENS = "tokens";

/** The most agents and money of one run, before it starts. A click shows what they depend on. */
export function WorstCase() {
  const pack = useSession((state) => state.pack);
  const revision = useSession((state) => state.revision);
  const ready = useSession((state) => state.phase === "ready");
  const [assumed, setAssumed] = useState<Readonly<Record<string, number>>>({});
  const [model, setModel] = useState("");
  const { value: bound, stale } = useRequest(
    ready && pack !== null ? [pack, revision, assumed, model] : null,
    () => packs.worstCase(pack ?? "", assumed, model),
    { pause: PAUSE },
  );
  const id = useId();
  const [left, setLeft] = useState(0);
  if (!bound || (bound.most === null && bound.unit !== "agents")) return null;
  const amount = bound.most?.toLocaleString("en");
  const cost = bound.cost.most === null ? null : costText(bound.cost.most);
  const title =
    amount === undefined
      ? `Nothing limits the ${bound.unit} of a run`
      : `A run uses at most ${amount} ${bound.unit}`;
  return (
    <>
      <Button
        kind={`quiet small worst-case${amount === undefined ? " level-warning" : ""}`}
        popoverTarget={id}
        onClick={(event) => setLeft(event.currentTarget.getBoundingClientRect().left)}
        aria-label={`${title}. Show the worst case`}
        title={title}
        data-worst-case={stale ? "" : (bound.most ?? "none")}
      >
        <Gauge className="icon" aria-hidden /> ≤ {amount ?? "∞"}{" "}
        <span className="label">
          {bound.unit}
          {cost && ` · ${cost}`}
        </span>
      </Button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        className="menu worst-case-parts"
        aria-label="Worst case"
        style={{ left: `min(${left}px, 100vw - 300px)` }}
        onKeyDown={(event) => event.stopPropagation()}
      >
        <h2 className="pane-title">{title}</h2>
        {bound.formula !== amount && (
          <p className="mono small" translate="no">
            {bound.formula}
          </p>
        )}
        <Parts title="Phase" bounds={bound.phases} />
        <Parts title="Model" bounds={bound.models} />
        {bound.unknowns.length > 0 && (
          <p className="help">Only a run knows these numbers. Try some:</p>
        )}
        {bound.unknowns.map((name) => (
          <label key={name} className="row tight">
            <Mono kind="small">{name}</Mono>
            <input
              type="range"
              min={0}
              max={MOST}
              value={assumed[name] ?? 0}
              aria-valuetext={assumed[name] === undefined ? "unknown" : undefined}
              onChange={(event) => setAssumed({ ...assumed, [name]: Number(event.target.value) })}
            />
            <output className="mono small">{assumed[name] ?? "?"}</output>
          </label>
        ))}
        <Cost cost={bound.cost} />
        <label className="row tight">
          <span className="small">Tokens of one call</span>
          <input
            type="number"
            className="input narrow"
            min={0}
            step={1000}
            value={assumed[TOKENS] ?? ""}
            onChange={(event) => setAssumed(withTokens(assumed, event.target.value))}
          />
        </label>
        <label className="row tight">
          <span className="small">Model of the session</span>
          <input
            className="input narrow"
            value={model}
            placeholder="sonnet"
            onChange={(event) => setModel(event.target.value.trim())}
          />
        </label>
        {Object.keys(assumed).length > 0 && (
          <button type="button" onClick={() => setAssumed({})}>
            Assume nothing
          </button>
        )}
      </div>
    </>
  );
}

function withTokens(assumed: Readonly<Record<string, number>>, text: string) {
  const { [TOKENS]: _, ...others } = assumed;
  return Number(text) > 0 ? { ...others, [TOKENS]: Math.floor(Number(text)) } : others;
}

/** The money of the worst case, or what it lacks. */
function Cost({ cost }: { cost: CallBound["cost"] }) {
  if (cost.most === null)
    return <p className="help">No limit in money without: {cost.missing.join("; ")}.</p>;
  return (
    <p className="help" data-worst-cost={cost.most}>
      At most {costText(cost.most)}; it {cost.basis || "makes no call"}.
    </p>
  );
}

function Parts({ title, bounds }: { title: string; bounds: Readonly<Record<string, string>> }) {
  const rows = Object.entries(bounds);
  if (rows.length < 2) return null;
  return (
    <table className="table dense">
      <thead>
        <tr>
          <th>{title}</th>
          <th>At most</th>
        </tr>
      </thead>
      <tbody translate="no">
        {rows.map(([name, most]) => (
          <tr key={name}>
            <td>{name || "none"}</td>
            <td className="mono">{most}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
