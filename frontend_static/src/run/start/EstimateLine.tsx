import type { RunStart } from "../../session";
import { costText, duration } from "../../ui/formatTime";

/** An estimate of the use of a run with a model: the pack's bounds, and its earlier runs. */
export function EstimateLine({ estimate }: { estimate: RunStart["estimate"] }) {
  const { past } = estimate;
  return (
    <p className="help run-line" data-estimate>
      {worstText(estimate.worst)} {costOfWorst(estimate.worst)}
      {past === null
        ? "No run with a model has completed yet."
        : `${past.runs === 1 ? "One earlier run" : `Of ${past.runs} earlier runs, the median`} used ${amountText(past.median)}${past.runs === 1 ? "" : `; the most was ${amountText(past.most)}`}.`}
    </p>
  );
}

function worstText({ visits, calls, tokens }: RunStart["estimate"]["worst"]): string {
  if (visits === null) return "The pack does not limit a run. Set a limit below.";
  const parts = [
    `${visits.toLocaleString("en")} state visits`,
    ...(calls === null ? [] : [`${calls.toLocaleString("en")} model calls`]),
    ...(tokens ? [`${tokens.toLocaleString("en")} tokens written`] : []),
  ];
  return `At most ${parts.join(", ")}.`;
}

/** The cost of the worst case, "" if it is not known. */
function costOfWorst({ cost, model, as_before, tokens }: RunStart["estimate"]["worst"]): string {
  if (cost === null) return "";
  const price = `${costText(cost)} with ${model}`;
  if (!as_before) return `The tokens written cost at most ${price}; those read are added. `;
  const uses = tokens === null ? "uses as many tokens as" : "reads as much as";
  return `They cost at most ${price} if each call ${uses} in earlier runs. `;
}

type Use = NonNullable<RunStart["estimate"]["past"]>["median"];

function amountText({ model_calls, input_tokens, output_tokens, cost, seconds }: Use): string {
  const tokens = (input_tokens + output_tokens).toLocaleString("en");
  const price = cost > 0 ? `, ${costText(cost)}` : "";
  return `${model_calls} model calls, ${tokens} tokens${price} and ${duration(seconds * 1000)}`;
}
