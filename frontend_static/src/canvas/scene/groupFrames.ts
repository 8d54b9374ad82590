/** The frame of each group, with space for its name and for nested frames. */

import type { Group } from "../../session";
import type { Scene } from "./scene";
import { padded, union, type Rect } from "./geometry";

const PADDING = 22;
const TITLE_HEIGHT = 22;

export interface Frame {
  group: Group;
  rect: Rect;
}

/** Frames from outer to inner, so that inner ones are on top. Empty groups have no frame. */
export function groupFrames(scene: Pick<Scene, "cards">, groups: Group[]): Frame[] {
  const members = new Map<string, Rect[]>();
  for (const card of scene.cards.values()) {
    const group = card.state?.group;
    if (!group) continue;
    const list = members.get(group);
    if (list) list.push(card);
    else members.set(group, [card]);
  }
  const children = new Map<string, Group[]>();
  for (const group of groups)
    if (group.parent) children.set(group.parent, [...(children.get(group.parent) ?? []), group]);
  const done = new Map<string, Rect | null>();
  const frame = (group: Group, above: ReadonlySet<string>): Rect | null => {
    const cached = done.get(group.id);
    if (cached !== undefined) return cached;
    if (above.has(group.id)) return null;
    const inside = (children.get(group.id) ?? []).flatMap(
      (child) => frame(child, new Set([...above, group.id])) ?? [],
    );
    const all = union([...(members.get(group.id) ?? []), ...inside]);
    const outer = all && padded(all, PADDING);
    const rect = outer && { ...outer, y: outer.y - TITLE_HEIGHT, h: outer.h + TITLE_HEIGHT };
    done.set(group.id, rect);
    return rect;
  };
  const frames = groups.flatMap((group) => {
    const rect = frame(group, new Set());
    return rect ? [{ group, rect }] : [];
  });
  return frames.sort((a, b) => b.rect.w * b.rect.h - a.rect.w * a.rect.h);
}
