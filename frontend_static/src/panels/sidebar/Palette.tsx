import { useState, type DragEvent } from "react";
import { kindOf } from "../../ui/stateKinds";
import {
  draftState,
  newStateId,
  STATE_KIND_MIME,
  paletteOf,
  session,
  shallow,
  useSession,
  type PaletteItem,
} from "../../session";
import { SearchField } from "../../ui/SearchField";

function add(item: PaletteItem): void {
  const id = newStateId(item.suggested_id, session.state);
  draftState(id, item.kind, () => []);
  session.focus(`state:${id}`);
}

function drag(event: DragEvent, item: PaletteItem): void {
  event.dataTransfer.setData(STATE_KIND_MIME, item.kind);
  event.dataTransfer.setData("text/plain", item.title);
  event.dataTransfer.effectAllowed = "copy";
}

/** The palette of state kinds, to drag to the canvas or to add with a click or Enter. */
export function Palette() {
  const palette = useSession(paletteOf, shallow);
  const ready = useSession((state) => state.phase === "ready");
  const lockedBy = useSession((state) => state.lockedBy);
  const [query, setQuery] = useState("");
  const needle = query.trim().toLowerCase();
  const items = palette.filter((item) =>
    `${item.title} ${item.kind} ${item.description}`.toLowerCase().includes(needle),
  );
  if (ready && palette.length === 0)
    return <p className="pane-note">This dialect has nothing to add from here. Use the outline.</p>;
  return (
    <>
      {palette.length > 6 && (
        <SearchField label="Search the palette" value={query} onChange={setQuery} />
      )}
      <ul className="plain palette" aria-label="Kinds of states">
        {items.map((item) => (
          <li key={item.kind}>
            <button
              type="button"
              className="palette-item"
              draggable={!lockedBy}
              disabled={lockedBy !== ""}
              title={lockedBy || undefined}
              data-kind={item.kind}
              onDragStart={(event) => drag(event, item)}
              onClick={() => add(item)}
            >
              <KindIcon kind={item.kind} />
              <span className="palette-title">{item.title}</span>
              <span className="help">{item.description}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="pane-note">
        {lockedBy ||
          "Drag one onto the canvas, or press Enter on it, and type its name. Double-click the canvas for a list."}
      </p>
    </>
  );
}

function KindIcon({ kind }: { kind: string }) {
  const { Icon, hue } = kindOf(kind);
  return (
    <span className="kind-icon" data-hue={hue}>
      <Icon className="icon" aria-hidden />
    </span>
  );
}
