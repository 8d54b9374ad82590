import { ChevronLeft, ChevronRight } from "lucide-react";
import { IconButton } from "../../ui/IconButton";
import type { Visit } from "./visits";
import { Button } from "../../ui/Button";

const SHOWN = 5;

/** Chooses a visit: ‹ 1 2 3 ›. `current` 0 is all of them. */
export function VisitPager({
  visits,
  current,
  choose,
  withAll = false,
}: {
  visits: readonly Visit[];
  current: number;
  choose: (number: number) => void;
  withAll?: boolean;
}) {
  const last = visits.length;
  const from = Math.max(1, Math.min(current - 2, last - SHOWN + 1));
  const numbers = Array.from({ length: Math.min(SHOWN, last) }, (_, index) => from + index);
  return (
    <div className="visit-pager row" role="group" aria-label="Visits">
      <span className="small muted">{last === 1 ? "Visit" : `${last} visits`}</span>
      <IconButton
        label="Previous visit"
        disabled={current <= 1}
        onClick={() => choose(current - 1)}
        Icon={ChevronLeft}
      />
      {withAll && <PagerButton label="All" on={current === 0} choose={() => choose(0)} />}
      {numbers.map((number) => (
        <PagerButton
          key={number}
          label={String(number)}
          on={number === current}
          choose={() => choose(number)}
        />
      ))}
      <IconButton
        label="Next visit"
        disabled={current >= last}
        onClick={() => choose(current + 1)}
        Icon={ChevronRight}
      />
    </div>
  );
}

function PagerButton({ label, on, choose }: { label: string; on: boolean; choose: () => void }) {
  return (
    <Button
      kind="quiet small"
      aria-label={label === "All" ? "All visits" : `Visit ${label}`}
      aria-pressed={on}
      onClick={choose}
    >
      {label}
    </Button>
  );
}
