/** The id on a card. On one line it is shortened in the middle, because its end distinguishes it. */

import { Fragment, type ReactNode } from "react";

/** Characters that fit on a card. */
const SHORT = 15;
/** Characters of the end that stays. */
const END = { least: 4, most: 11 };

export function CardId({ id }: { id: string }) {
  return (
    <span className="state-id" title={endOf(id) ? id : undefined}>
      <MiddleShortened text={id} />
    </span>
  );
}

/** Two parts for a flex container, of which the first one is shortened. */
export function MiddleShortened({ text }: { text: string }) {
  const at = endOf(text);
  return (
    <>
      {at > 0 && <span className="id-start">{withBreakPoints(text.slice(0, at))}</span>}
      <span className="id-end">{withBreakPoints(text.slice(at))}</span>
    </>
  );
}

/** Index of the end that is always shown, at a separator if possible; 0 for a short id. */
export function endOf(id: string): number {
  if (id.length <= SHORT) return 0;
  for (let at = id.length - END.most; at <= id.length - END.least; at += 1)
    if ("._-/:".includes(id[at] ?? "")) return at;
  return id.length - END.most + 3;
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
