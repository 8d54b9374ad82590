import { useEffect, useState } from "react";
import { session, useSession, type Offer } from "../../session";

/** Connect from the keyboard: which event, then which state. Offers what the dialect allows. */
export function ConnectRow({ source, done }: { source: string; done: () => void }) {
  const [offers, setOffers] = useState<Offer[] | null>(null);
  const [label, setLabel] = useState("");
  const states = useSession((state) => state.graph.states);
  useEffect(() => {
    let wanted = true;
    session.offers(source).then(
      (found) => wanted && setOffers(found),
      (error: unknown) => {
        session.notifyError(error);
        done();
      },
    );
    return () => {
      wanted = false;
    };
  }, [source, done]);
  if (!offers) return <p className="pane-note">Asking what may leave {source}…</p>;
  const open = offers.filter((offer) => !offer.reason);
  if (open.length === 0)
    return <p className="pane-note">{offers[0]?.reason || `Nothing more may leave ${source}.`}</p>;
  const named = open.filter((offer) => offer.label !== "").map((offer) => offer.label);
  const offer = open.find((one) => one.label === label) ?? open.find((one) => one.label === "");
  const targets = offer?.targets ?? [...states.keys()];
  const connect = async (target: string) => {
    if (!target || !label) return;
    const outcome = await session.edit([{ type: "connect", source, target, label }]);
    if (outcome.ok) done();
  };
  return (
    <div className="connect-row" onKeyDown={(event) => event.key === "Escape" && done()}>
      <input
        className="input mono"
        autoFocus
        aria-label="Event of the new arrow"
        placeholder="Event"
        list="connect-events"
        value={label}
        pattern={offer?.pattern || undefined}
        onChange={(event) => setLabel(event.target.value)}
      />
      <datalist id="connect-events">
        {named.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <select
        className="input mono"
        aria-label="Target of the new arrow"
        value=""
        disabled={!label || !offer}
        onChange={(event) => void connect(event.target.value)}
      >
        <option value="">→ state…</option>
        {targets.map((id) => (
          <option key={id}>{id}</option>
        ))}
      </select>
    </div>
  );
}
