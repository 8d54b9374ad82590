import { useState } from "react";
import { session, useSession } from "../../session";
import { keyOf } from "../../ui/keys";
import { useAsked } from "../../ui/useAsked";
import { useRequest } from "../../ui/useRequest";
import { Button } from "../../ui/Button";

/**
 * Connects by keyboard: an event, then a target state. Offers what the dialect allows. Arrow keys
 * or letters choose a state; Enter connects.
 */
export function ConnectRow({ source, done }: { source: string; done: () => void }) {
  const [label, setLabel] = useState("");
  const [chosenTarget, setChosenTarget] = useState("");
  const states = useSession((state) => state.graph.states);
  const { value: offers } = useRequest([source], () => session.fetchOffers(source), {
    failed: (error) => {
      session.notifyError(error);
      done();
    },
  });
  useAsked("Event of the new arrow", label !== "");
  if (!offers) return <p className="pane-note">Loading the transitions that may leave {source}…</p>;
  const open = offers.filter((offer) => !offer.reason);
  if (open.length === 0)
    return <p className="pane-note">{offers[0]?.reason || `Nothing more may leave ${source}.`}</p>;
  const labels = open.filter((offer) => offer.label !== "").map((offer) => offer.label);
  const offer = open.find((one) => one.label === label) ?? open.find((one) => one.label === "");
  const targets = offer?.targets ?? [...states.keys()];
  const target = targets.includes(chosenTarget) ? chosenTarget : "";
  const connect = async () => {
    if (!target || !label) return;
    const outcome = await session.edit([{ type: "connect", source, target, label }]);
    if (outcome.ok) done();
  };
  return (
    <form
      className="connect-row"
      onKeyDown={(event) => keyOf(event) === "Escape" && done()}
      onSubmit={(event) => {
        event.preventDefault();
        void connect();
      }}
    >
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
        {labels.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <select
        className="input mono"
        translate="no"
        aria-label="Target of the new arrow"
        value={target}
        disabled={!label || !offer}
        onChange={(event) => setChosenTarget(event.target.value)}
        onKeyDown={(event) => {
          if (keyOf(event) !== "Enter" || !target) return;
          event.preventDefault();
          void connect();
        }}
      >
        <option value="">→ state…</option>
        {targets.map((id) => (
          <option key={id}>{id}</option>
        ))}
      </select>
      <Button type="submit" kind="small" disabled={!label || !target}>
        Connect
      </Button>
    </form>
  );
}
