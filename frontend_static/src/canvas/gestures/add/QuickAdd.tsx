/** Which kind of state shall stand here: the palette as a short list with a filter. */

import { useState } from "react";
import { kindOf } from "../../../lib/kinds";
import { useSession } from "../../../session";
import type { Point } from "../../scene/shapes";
import { useStage } from "../../view/context";
import { Popup } from "../../view/Popup";
import { addState, freeId } from "./index";

export function QuickAdd({ at, onClose }: { at: Point; onClose: () => void }) {
  const stage = useStage();
  const palette = useSession((state) => state.palette);
  const [text, setText] = useState("");
  const wanted = text.toLowerCase();
  const shown = palette.filter((item) =>
    `${item.title} ${item.kind} ${item.description}`.toLowerCase().includes(wanted),
  );
  const take = (kind: string, wish: string) => {
    addState(stage, kind, freeId(wish), at);
    onClose();
    stage.element?.focus({ preventScroll: true });
  };
  return (
    <Popup at={at} label="Add a state" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const first = shown[0];
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
      {shown.map((item) => {
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
      {!shown.length && palette.length > 0 && <p>Nothing is called “{text}”.</p>}
    </Popup>
  );
}
