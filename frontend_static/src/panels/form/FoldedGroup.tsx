import { useEffect, useState, type ReactNode } from "react";
import { useSession } from "../../session";
import { Disclosure } from "../../ui/Disclosure";
import { panels, usePanels } from "../panelState";
import { findingsAt, useForm } from "./formContext";

interface GroupProps {
  /** "" for fields without a heading. */
  title: string;
  /** The kind of element, and the pointer of the object. */
  place: string;
  pointers: readonly string[];
  /** The number of fields with a value, shown while the group is closed. */
  set: number;
  /** Closed until it is opened. */
  rare?: boolean;
  children: ReactNode;
}

/**
 * A group of fields with a heading that folds it. Its state is stored for each dialect and kind of
 * element. It opens by itself for a finding, and for a request to show one of its
 * fields.
 */
export function FoldedGroup({ title, place, pointers, set, rare = false, children }: GroupProps) {
  const context = useForm();
  const dialect = useSession((state) => state.fullGraph.dialect);
  const name = `${dialect} ${place} ${title}`;
  const stored = usePanels((ui) => ui.folds[name]);
  const hasFinding = pointers.some((pointer) => findingsAt(context, pointer).length > 0);
  const request = usePanels((ui) => ui.field);
  const requested =
    request !== null &&
    pointers.some((one) => `${request.pointer}/`.startsWith(`${context.form.pointer}${one}/`));
  const [chosen, choose] = useState<boolean | null>(null);
  useEffect(() => {
    if (requested || hasFinding) choose(null);
  }, [request, requested, hasFinding]);
  if (!title) return children;
  const open = chosen ?? (hasFinding || requested || (stored ?? !rare));
  return (
    <section className="form-group" aria-label={title}>
      <Disclosure
        title={
          <>
            {title}
            {!open && set > 0 && <span className="count">{set} set</span>}
          </>
        }
        open={open}
        onToggle={(next) => {
          choose(next);
          panels.fold(name, next);
        }}
      >
        {children}
      </Disclosure>
    </section>
  );
}
