/** Labels that a transition between two states may have, according to the server's offers. */

import type { Offer, Transition } from "../../session";
import { fitsPattern, nearestName, nearestOption } from "../../ui/names";

export interface Choice {
  label: string;
  /** The reason against this label, or "". */
  reason: string;
  /** Redirects of caps and fallbacks come after the others, and are never the default. */
  last: boolean;
}

export interface ConnectOptions {
  choices: Choice[];
  /** The pattern for a new label; null if new labels are not allowed. */
  newNamePattern: string | null;
  /** A description of the pattern for people. */
  rule: string;
  /** The reason if no label is allowed, or "". */
  reason: string;
}

export function connectOptions(
  offers: Offer[],
  arrows: Iterable<Transition>,
  source: string,
  target: string,
): ConnectOptions {
  const existingLabels = new Set<string>();
  for (const arrow of arrows)
    if (arrow.source === source && arrow.target === target) existingLabels.add(arrow.label);
  const choices: Choice[] = [];
  let newNamePattern: string | null = null;
  let rule = "";
  let reason = "";
  for (const offer of offers) {
    const fits = offer.targets === null || offer.targets.includes(target);
    if (!fits) reason ||= offer.reason;
    if (offer.label === "") {
      if (fits) [newNamePattern, rule] = [offer.pattern, offer.rule];
    } else {
      const why = fits
        ? existingLabels.has(offer.label)
          ? "already there"
          : ""
        : offer.reason || "unavailable";
      choices.push({ label: offer.label, reason: why, last: LAST_KINDS.has(offer.kind) });
    }
  }
  choices.sort((a, b) => Number(a.last) - Number(b.last));
  const any = newNamePattern !== null || choices.some((choice) => !choice.reason);
  if (any) reason = "";
  else reason ||= offers.length ? "Every event is taken." : "No arrow may leave this state.";
  return { choices, newNamePattern, rule, reason };
}

const LAST_KINDS: ReadonlySet<string> = new Set(["redirect", "fallback"]);

/**
 * The label that a new arrow gets if its author types none: an offered one, best the one named
 * like the target; else a name made from the target's. "" if there is none.
 */
export function defaultLabel(
  options: ConnectOptions,
  target: string,
  taken: Iterable<string>,
  isNew = false,
): string {
  const open = options.choices.filter((choice) => (isNew || !choice.reason) && !choice.last);
  const alike = open.find((choice) => choice.label.toLowerCase() === target.toLowerCase());
  const offered = alike ?? open[0];
  if (offered) return offered.label;
  if (!options.newNamePattern) return "";
  const named = nearestName(target, options.newNamePattern);
  return new Set(taken).has(named) ? "" : named;
}

/** The label that Enter takes for a typed one, and the problem with the typed one. */
export interface LabelAnswer {
  label: string;
  problem: string;
}

export function readLabel(typed: string, options: ConnectOptions, isNew: boolean): LabelAnswer {
  const text = typed.trim();
  if (!text) return { label: "", problem: "" };
  const open = options.choices.filter((choice) => isNew || !choice.reason).map((one) => one.label);
  const same = open.find((label) => label.toLowerCase() === text.toLowerCase());
  if (open.includes(text)) return { label: text, problem: "" };
  if (same !== undefined && options.newNamePattern !== "") return { label: same, problem: "" };
  if (options.newNamePattern === null) {
    const near = nearestOption(text, open);
    const refused = options.choices.find((choice) => choice.label === text);
    if (refused) return { label: "", problem: refused.reason };
    if (near.toLowerCase().startsWith(text.toLowerCase())) return { label: near, problem: "" };
    const list = open.join(", ");
    return { label: near, problem: list ? `Only these fit here: ${list}.` : "No event fits here." };
  }
  if (fitsPattern(text, options.newNamePattern)) return { label: text, problem: "" };
  return {
    label: nearestName(text, options.newNamePattern),
    problem: options.rule || `A name must match ${options.newNamePattern}.`,
  };
}
