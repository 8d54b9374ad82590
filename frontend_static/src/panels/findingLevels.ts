import { CircleAlert, Lightbulb, TriangleAlert } from "lucide-react";
import type { Finding, Level } from "../session";

export const LEVEL_ICON = { error: CircleAlert, warning: TriangleAlert, hint: Lightbulb } as const;

export const LEVELS: readonly Level[] = ["error", "warning", "hint"];

/**
 * The number of findings, of one level or of all, with those that are left out of the list. A
 * finding counts once with its consequences.
 */
export function countFindings(findings: readonly Finding[], level?: Level): number {
  return groupFindings(findings)
    .filter((one) => level === undefined || one.level === level)
    .reduce((sum, one) => sum + 1 + (one.lead.more ?? 0), 0);
}

export interface FindingGroup {
  lead: Finding;
  level: Level;
  consequences: readonly Finding[];
}

/**
 * The findings, each with its consequences. A consequence whose cause is not in the list stands for
 * itself. The level is the worst of the group.
 */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
  const keys = new Set(findings.map((one) => one.key));
  const isLead = (one: Finding) => !one.cause || !keys.has(one.cause);
  const below = new Map<string, Finding[]>();
  for (const one of findings)
    if (!isLead(one)) below.set(one.cause, [...(below.get(one.cause) ?? []), one]);
  return findings.filter(isLead).map((lead) => {
    const consequences = below.get(lead.key) ?? [];
    below.delete(lead.key);
    const all = [lead, ...consequences].map((one) => LEVELS.indexOf(one.level));
    return { lead, consequences, level: LEVELS[Math.min(...all)] ?? lead.level };
  });
}

export function countLabel(count: number, level: Level): string {
  return `${count} ${level}${count === 1 ? "" : "s"}`;
}
