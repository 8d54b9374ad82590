/** The reason of an end as a page shows it. */

const LIMIT = /\bmax_(\w+) ([\d.e+]+) reached limit ([\d.e+]+)/;

/** Name of a limit → how an amount is shown, and the noun after the amount that was used. */
const LIMITS: Readonly<Record<string, readonly [amount: string, noun: string]>> = {
  total_visits: ["#", "visits"],
  tool_calls: ["#", "tool calls"],
  model_calls: ["#", "model calls"],
  tokens: ["#", "tokens"],
  wall_time_sec: ["# s", ""],
  cost: ["$#", ""],
};

/**
 * PromptPack fixes the wording of a reached limit, `max_model_calls 3 reached limit 3`. For people
 * it is "3 model calls; the limit is 3". The server's pages show the same (`reason_text`).
 */
export function reasonText(reason: string): string {
  return reason.replace(LIMIT, (whole, name: string, used: string, most: string) => {
    const [amount, noun] = LIMITS[name] ?? [];
    if (amount === undefined) return whole;
    const shown = (number: string) => amount.split("#").join(number);
    return `${`${shown(used)} ${noun}`.trim()}; the limit is ${shown(most)}`;
  });
}
