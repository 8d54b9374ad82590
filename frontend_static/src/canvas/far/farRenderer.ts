/**
 * One frame of the far view: two raster caches (resting and dragged states) with highlights on top.
 */

import { session } from "../../session";
import type { Rect } from "../scene/geometry";
import type { Stage, View } from "../view/stage";
import { strokePartlyCarriedArrows } from "./arrows";
import type { Colours } from "./colours";
import { paintStaticLayer } from "./staticLayer";
import { NO_CARRY, paintHighlights, paintSelection } from "./highlights";
import type { Context2D, PaintInput } from "./painting";
import { RasterCache } from "./rasterCache";

/** If more elements are selected, the selection is painted into the raster cache. */
const MAX_HIGHLIGHTED = 150;
/** Maximum distance of arrows beyond the states. */
const ARROW_MARGIN = 80;
const EVERYWHERE: Rect = { x: -1e9, y: -1e9, w: 2e9, h: 2e9 };

export class FarRenderer {
  private readonly restingCache = new RasterCache();
  private readonly carriedCache = new RasterCache();

  constructor(
    private readonly stage: Stage,
    private readonly context: Context2D,
  ) {}

  /**
   * `sharp`: nothing moves, so a scaled raster must be repainted. Returns whether the frame is
   * scaled.
   */
  paintFrame(colours: Colours, breath: number, sharp: boolean): boolean {
    const { stage, context } = this;
    const view = stage.view.getState();
    const ratio = devicePixelRatio || 1;
    clear(context, view, ratio);
    const picture = this.paintInput(colours, view.zoom, stage.visible(8));
    const { ids, dx, dy } = stage.carry.getState();
    const key = this.cacheKey(colours, ids);
    const bounds = withMargin(stage.scene.bounds());
    let blurred = this.refreshCache(
      this.restingCache,
      key,
      view,
      ratio,
      bounds,
      sharp,
      (onto, area) => this.paintStatic(onto, { ...picture, area }, ids, false),
    );
    this.restingCache.drawTo(context);
    if (ids.size) {
      blurred =
        this.refreshCache(
          this.carriedCache,
          [...key, "carried"],
          view,
          ratio,
          null,
          sharp,
          (onto) => this.paintStatic(onto, { ...picture, area: EVERYWHERE }, ids, true),
        ) || blurred;
      strokePartlyCarriedArrows(context, picture, { ids, dx, dy });
      this.carriedCache.drawTo(context, dx, dy);
    }
    paintHighlights(context, picture, {
      hovered: stage.hover.getState().element,
      carry: { ids, dx, dy },
      pulse: breath,
      selectionInStaticLayer: session.state.selection.size > MAX_HIGHLIGHTED,
    });
    return blurred;
  }

  private paintInput(colours: Colours, zoom: number, area: Rect): PaintInput {
    return { scene: this.stage.scene, session: session.state, colours, zoom, area };
  }

  /** The inputs of the raster caches. Other state must be painted as a highlight. */
  private cacheKey(colours: Colours, carried: ReadonlySet<string>): readonly unknown[] {
    const { findingsOf, overlay, graph, selection, comparison } = session.state;
    return [
      this.stage.scene.version,
      colours,
      findingsOf,
      graph.entries,
      overlay?.taken,
      overlay?.unreached,
      comparison,
      carried.size ? carried : null,
      selection.size > MAX_HIGHLIGHTED ? selection : null,
    ];
  }

  private refreshCache(
    plate: RasterCache,
    key: readonly unknown[],
    view: View,
    ratio: number,
    bounds: Rect | null,
    sharp: boolean,
    draw: (onto: Context2D, area: Rect) => void,
  ): boolean {
    if (!plate.isValidFor(key, view, bounds, sharp)) {
      plate.paint(key, view, ratio, draw);
      return false;
    }
    return !plate.isValidFor(key, view, bounds, true);
  }

  private paintStatic(
    onto: Context2D,
    picture: PaintInput,
    carried: ReadonlySet<string>,
    only: boolean,
  ): void {
    paintStaticLayer(onto, picture, { carried, carriedOnly: only });
    const many = session.state.selection.size > MAX_HIGHLIGHTED;
    // The dragged states are nearly always the selection, so its outlines move with them.
    if (many && only === carried.size > 0) paintSelection(onto, picture, NO_CARRY);
  }
}

function clear(context: Context2D, view: View, ratio: number): void {
  const { canvas } = context;
  const { x, y, zoom, width, height } = view;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, w, h);
  context.setTransform(zoom * ratio, 0, 0, zoom * ratio, x * ratio, y * ratio);
}

const withMargin = (rect: Rect | null): Rect | null =>
  rect && {
    x: rect.x - ARROW_MARGIN,
    y: rect.y - ARROW_MARGIN,
    w: rect.w + 2 * ARROW_MARGIN,
    h: rect.h + 2 * ARROW_MARGIN,
  };
