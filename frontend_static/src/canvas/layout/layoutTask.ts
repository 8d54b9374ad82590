/** Input and output of a layout. Plain data, because it is sent to a worker. */

export interface LayoutCard {
  id: string;
  w: number;
  h: number;
}

export interface LayoutArrow {
  source: string;
  target: string;
  /** Width of the label. The gap between the two cards must hold it. */
  label: number;
}

export interface LayoutTask {
  /** In file order, entry states first. */
  cards: LayoutCard[];
  arrows: LayoutArrow[];
}

export type Positions = Map<string, { x: number; y: number }>;

export const ROW_GAP = 44;
export const COLUMN_GAP = 88;
