/** What a layout is asked and what it answers. Plain data: it travels to a worker. */

export interface LayoutBox {
  id: string;
  w: number;
  h: number;
}

export interface LayoutArrow {
  source: string;
  target: string;
  /** Width of the label's pill: the gap between two cards must hold it. */
  label: number;
}

export interface LayoutTask {
  /** In file order; states that a run can begin in first. */
  boxes: LayoutBox[];
  arrows: LayoutArrow[];
}

export type Positions = Map<string, { x: number; y: number }>;

export const ROW_GAP = 44;
export const COLUMN_GAP = 88;
