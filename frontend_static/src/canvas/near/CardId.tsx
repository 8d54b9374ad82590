/** The id on a card. On one line it is shortened in the middle, because its end distinguishes it. */

import { Fragment, type ReactNode } from "react";

/** Characters that fit on a card. */
const SHORT = 15;
/** Characters of the end that stays. */
const END = { least: 4, most: 11 };

export function CardId({ id }: { id: string }) {
  const at = endOf(id);
  return (
    <span className="state-id" title={at ? id : undefined}>
      {at > 0 && <span className="id-start">{withBreakPoints(id.slice(0, at))}</span>}
      <span className="id-end">{withBreakPoints(id.slice(at))}</span>
    </span>
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
