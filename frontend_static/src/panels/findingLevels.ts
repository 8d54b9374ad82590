import { CircleAlert, Lightbulb, TriangleAlert } from "lucide-react";
import type { Finding, Level } from "../session";

export const LEVEL_ICON = { error: CircleAlert, warning: TriangleAlert, hint: Lightbulb } as const;

export const LEVELS: readonly Level[] = ["error", "warning", "hint"];

/** The number of findings, of one level or of all, with those that are left out of the list. */
export function countFindings(findings: readonly Finding[], level?: Level): number {
  return findings
    .filter((one) => level === undefined || one.level === level)
    .reduce((sum, one) => sum + 1 + (one.more ?? 0), 0);
}

export function countLabel(count: number, level: Level): string {
  return `${count} ${level}${count === 1 ? "" : "s"}`;
}
