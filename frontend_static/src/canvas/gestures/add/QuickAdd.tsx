/** The popup that adds a state: the palette as a list with a filter. */

import { useState } from "react";
import { kindOf } from "../../../ui/stateKinds";
import {
  newStateId,
  paletteOf,
  session,
  shallow,
  useSession,
  type PaletteItem,
} from "../../../session";
import type { Point } from "../../scene/geometry";
import { useStage } from "../../view/stageContext";
import { Popup } from "../../view/Popup";
import { addState } from "../../view/addState";

/** Kinds that match the query, best first. Enter takes the first one. */
function matchingKinds(palette: readonly PaletteItem[], query: string): PaletteItem[] {
  const rank = ({ title, kind, description }: PaletteItem) =>
    [title, `${title} ${kind}`, description].findIndex((text, index) =>
      index === 0 ? text.toLowerCase().startsWith(query) : text.toLowerCase().includes(query),
    );
  return palette.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b));
}

export function QuickAdd({ at, onClose }: { at: Point; onClose: () => void }) {
  const stage = useStage();
  const palette = useSession(paletteOf, shallow);
  const [text, setText] = useState("");
  const kinds = matchingKinds(palette, text.toLowerCase());
  const take = (kind: string, suggestedId: string) => {
    addState(stage, kind, newStateId(suggestedId, session.state), at);
    onClose();
  };
  return (
    <Popup at={at} label="Add a state" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const first = kinds[0];
          if (first) take(first.kind, first.suggested_id);
          else if (!palette.length) take("", text.trim() || "state");
        }}
      >
        <input
          data-first
          aria-label="Find a kind of state"
          placeholder="Add a state…"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
      {kinds.map((item) => {
        const { Icon, hue } = kindOf(item.kind);
        return (
          <button
            type="button"
            key={item.kind}
            title={item.description}
            onClick={() => take(item.kind, item.suggested_id)}
          >
            <Icon size={15} color={`var(--kind-${hue})`} aria-hidden />
            {item.title}
          </button>
        );
      })}
      {!kinds.length && palette.length > 0 && <p>No kind matches “{text}”.</p>}
    </Popup>
  );
}
