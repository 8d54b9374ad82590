import type { ProposePlan } from "../../session";
import { Check } from "../../ui/Check";
import { Mono } from "../../ui/Mono";

interface Props {
  plan: ProposePlan;
  chosen: readonly number[];
  choose: (packs: readonly number[]) => void;
}

/** The other edited packs of the branch, to be chosen for the same commit. */
export function OtherPacks({ plan, chosen, choose }: Props) {
  const packs = [...plan.packs.slice(1), ...plan.candidates].sort((one, other) =>
    one.main < other.main ? -1 : 1,
  );
  if (packs.length === 0) return null;
  return (
    <fieldset className="field other-packs">
      <legend className="field-label">Other edited packs of the branch</legend>
      {packs.map(({ pack, name, main }) => (
        <Check
          on={chosen.includes(pack)}
          set={(on) => choose(on ? [...chosen, pack] : chosen.filter((one) => one !== pack))}
          key={pack}
        >
          <span>
            {name} <Mono kind="muted">{main}</Mono>
          </span>
        </Check>
      ))}
      <span className="help">Chosen packs are part of the same commit and pull request.</span>
    </fieldset>
  );
}
