/** The id on a card. On one line it is shortened in the middle, because its end distinguishes it. */

import { Fragment, type ReactNode } from "react";

/** Characters that fit in one line. */
const FITS = { card: 15, chip: 6 };
type Room = keyof typeof FITS;
/** Characters of the end that stays. */
const END = { card: { least: 4, most: 11 }, chip: { least: 3, most: 6 } };

export function CardId({ id }: { id: string }) {
  return (
    <span className="state-id" title={endOf(id) ? id : undefined}>
      <MiddleShortened text={id} />
    </span>
  );
}

/** Two parts for a flex container, of which the first one is shortened. */
export function MiddleShortened({ text, room = "card" }: { text: string; room?: Room }) {
  const at = endOf(text, room);
  return (
    <>
      {at > 0 && <span className="id-start">{withBreakPoints(text.slice(0, at))}</span>}
      <span className="id-end">{withBreakPoints(text.slice(at))}</span>
    </>
  );
}

/** Index of the end that is always shown, at a separator if possible; 0 for a short id. */
export function endOf(id: string, room: Room = "card"): number {
  const { least, most } = END[room];
  if (id.length <= FITS[room]) return 0;
  for (let at = id.length - most; at <= id.length - least; at += 1)
    if (" ._-/:".includes(id[at] ?? "")) return at;
  return id.length - Math.round((least + most) / 2);
}

/** Allow line breaks in an id after its punctuation only. */
function withBreakPoints(id: string): ReactNode {
  const parts = id.split(/(?<=[._\-/:])/);
  if (parts.length === 1) return id;
  return parts.map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}
