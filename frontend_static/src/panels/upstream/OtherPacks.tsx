import type { ProposePlan } from "../../session";

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
        <label key={pack} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(pack)}
            onChange={(event) =>
              choose(
                event.target.checked ? [...chosen, pack] : chosen.filter((one) => one !== pack),
              )
            }
          />
          <span>
            {name}{" "}
            <span className="mono muted" translate="no">
              {main}
            </span>
          </span>
        </label>
      ))}
      <span className="help">Chosen packs are part of the same commit and pull request.</span>
    </fieldset>
  );
}
