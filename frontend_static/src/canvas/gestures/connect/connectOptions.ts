/** Labels that a transition between two states may have, according to the server's offers. */

import type { Offer, Transition } from "../../../session";

export interface Choice {
  label: string;
  /** The reason against this label, or "". */
  reason: string;
}

export interface ConnectOptions {
  choices: Choice[];
  /** The pattern for a new label; null if new labels are not allowed. */
  newNamePattern: string | null;
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
  let reason = "";
  for (const offer of offers) {
    const fits = offer.targets === null || offer.targets.includes(target);
    if (!fits) reason ||= offer.reason;
    if (offer.label === "") {
      if (fits) newNamePattern = offer.pattern;
    } else {
      const why = fits
        ? existingLabels.has(offer.label)
          ? "already there"
          : ""
        : offer.reason || "unavailable";
      choices.push({ label: offer.label, reason: why });
    }
  }
  const any = newNamePattern !== null || choices.some((choice) => !choice.reason);
  if (any) reason = "";
  else reason ||= offers.length ? "Every event is taken." : "No arrow may leave this state.";
  return { choices, newNamePattern, reason };
}

/** The reason against a new label, or "". */
export function nameProblem(name: string, pattern: string): string {
  if (!name.trim()) return "";
  if (!pattern) return "";
  try {
    return new RegExp(pattern, "u").test(name) ? "" : `A name must match ${pattern}.`;
  } catch {
    return "";
  }
}
