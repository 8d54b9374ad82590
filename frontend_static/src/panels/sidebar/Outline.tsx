import { Plus } from "lucide-react";
import { useState } from "react";
import { session, useSession, type Section, isFixed } from "../../session";
import { Disclosure } from "../../ui/Disclosure";
import { SearchField } from "../../ui/SearchField";
import { StateTree } from "./StateTree";
import { IconButton } from "../../ui/IconButton";
import { DiffBadge, SectionTitle, FindingDot } from "./rowParts";
import { keyOf } from "../../ui/keys";
import { NewEntryField } from "./NewEntryField";

/** The outline: all elements of the pack by section, usable without a mouse. */
export function Outline() {
  const outline = useSession((state) => state.outline);
  const [query, setQuery] = useState("");
  const needle = query.trim().toLowerCase();
  return (
    <>
      <SearchField label="Search the outline" value={query} onChange={setQuery} />
      <div className="outline">
        {!outline.some((section) => section.items.some((item) => item.element === "pack")) && (
          <PackRow />
        )}
        <StateTree needle={needle} />
        {outline
          .filter((section) => section.kind !== "state" && section.kind !== "transition")
          .map((section) => (
            <OutlineSection key={section.kind} section={section} needle={needle} />
          ))}
      </div>
    </>
  );
}

function PackRow() {
  const here = useSession((state) => state.element === "pack");
  return (
    <button
      type="button"
      className="outline-row"
      aria-current={here || undefined}
      onClick={() => session.select([], "pack")}
    >
      The pack itself
    </button>
  );
}

function OutlineSection({ section, needle }: { section: Section; needle: string }) {
  const [adding, setAdding] = useState(false);
  const [open, setOpen] = useState(true);
  const element = useSession((state) => state.element);
  const readOnly = useSession(isFixed);
  const findings = useSession((state) => state.findingsOf);
  const items = section.items.filter((item) => item.label.toLowerCase().includes(needle));
  if (items.length === 0 && (needle || !section.addable || readOnly)) return null;
  const add = section.addable && !readOnly && (
    <IconButton
      label={`Add to ${section.title}`}
      onClick={() => {
        setOpen(true);
        setAdding(true);
      }}
      Icon={Plus}
    />
  );
  return (
    <Disclosure
      className="outline-section"
      title={<SectionTitle title={section.title} count={section.items.length} />}
      aside={add}
      open={open || needle !== ""}
      onToggle={setOpen}
    >
      {adding && <NewObject section={section} done={() => setAdding(false)} />}
      {items.map((item) => (
        <button
          key={item.element}
          type="button"
          className="outline-row mono"
          translate="no"
          title={item.label}
          aria-current={element === item.element || undefined}
          onClick={() =>
            item.element === "pack" ? session.select([], "pack") : session.inspect(item.element)
          }
          onDoubleClick={() => session.openLevel(item.element)}
          onKeyDown={(event) => {
            if (keyOf(event) !== "Delete" || !section.addable || readOnly) return;
            event.preventDefault();
            removeObject(item.element);
          }}
        >
          <span className="truncate" translate="no">
            {item.label}
          </span>
          <DiffBadge element={item.element} />
          <FindingDot level={findings.get(item.element)?.[0]?.level} />
        </button>
      ))}
    </Disclosure>
  );
}

function removeObject(element: string): void {
  void session.edit([{ type: "remove_object", element }]).then((outcome) => {
    if (outcome.ok)
      session.notify(`${element.replace(":", " ")} was removed.`, "hint", "Undo restores it.");
  });
}

/** A field for the key of a new object. */
function NewObject({ section, done }: { section: Section; done: () => void }) {
  const add = async (key: string) => {
    done();
    if (!key) return;
    const outcome = await session.edit([{ type: "add_object", kind: section.kind, key }]);
    if (outcome.ok) session.inspect(`${section.kind}:${key}`);
  };
  return (
    <NewEntryField
      label={`Key of the new entry in ${section.title}`}
      asked="Key of the new entry"
      placeholder="Key, then Enter"
      add={add}
      cancel={done}
    />
  );
}
