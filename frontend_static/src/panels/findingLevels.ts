import { CircleAlert, Lightbulb, TriangleAlert } from "lucide-react";
import { type Level } from "../session";

export const LEVEL_ICON = { error: CircleAlert, warning: TriangleAlert, hint: Lightbulb } as const;

export const LEVELS: readonly Level[] = ["error", "warning", "hint"];

export function countLabel(count: number, level: Level): string {
  return `${count} ${level}${count === 1 ? "" : "s"}`;
}
