/** One frame of the far view: two plates (what rests, what is carried) and the marks on top. */

import { session } from "../../session";
import type { Rect } from "../scene/geometry";
import type { Stage, View } from "../view/stage";
import { strokeTethers } from "./arrows";
import type { Colours } from "./colours";
import { paintGround } from "./staticLayer";
import { NO_CARRY, paintMarks, paintSelection } from "./highlights";
import type { Context, Picture } from "./painting";
import { Plate } from "./rasterCache";

/** More selected elements than these are painted onto the plate. */
const MANY = 150;
/** What the arrows may run outside the boxes. */
const STRAY = 80;
const EVERYWHERE: Rect = { x: -1e9, y: -1e9, w: 2e9, h: 2e9 };

export class FarPaint {
  private readonly rest = new Plate();
  private readonly carried = new Plate();

  constructor(
    private readonly stage: Stage,
    private readonly context: Context,
  ) {}

  /** `sharp`: nothing is moving, so blur must go. Returns whether what is shown is blurred. */
  frame(colours: Colours, breath: number, sharp: boolean): boolean {
    const { stage, context } = this;
    const view = stage.view.get();
    const ratio = devicePixelRatio || 1;
    clear(context, view, ratio);
    const picture = this.picture(colours, view.zoom, stage.visible(8));
    const { ids, dx, dy } = stage.carry.get();
    const key = this.key(colours, ids);
    const bounds = grown(stage.scene.bounds());
    let blurred = this.lay(this.rest, key, view, ratio, bounds, sharp, (onto, area) =>
      this.ground(onto, { ...picture, area }, ids, false),
    );
    this.rest.show(context);
    if (ids.size) {
      blurred =
        this.lay(this.carried, [...key, "carried"], view, ratio, null, sharp, (onto) =>
          this.ground(onto, { ...picture, area: EVERYWHERE }, ids, true),
        ) || blurred;
      strokeTethers(context, picture, { ids, dx, dy });
      this.carried.show(context, dx, dy);
    }
    paintMarks(context, picture, {
      hovered: stage.hover.get().element,
      carry: { ids, dx, dy },
      breath,
      selectionBelow: session.state.selection.size > MANY,
    });
    return blurred;
  }

  private picture(colours: Colours, zoom: number, area: Rect): Picture {
    return { scene: this.stage.scene, session: session.state, colours, zoom, area };
  }

  /** Everything that the plates show; what is not in here must be painted as a mark. */
  private key(colours: Colours, carried: ReadonlySet<string>): readonly unknown[] {
    const { findingsOf, overlay, graph, selection } = session.state;
    return [
      this.stage.scene.version,
      colours,
      findingsOf,
      graph.entries,
      overlay?.taken,
      overlay?.unreached,
      carried.size ? carried : null,
      selection.size > MANY ? selection : null,
    ];
  }

  private lay(
    plate: Plate,
    key: readonly unknown[],
    view: View,
    ratio: number,
    bounds: Rect | null,
    sharp: boolean,
    draw: (onto: Context, area: Rect) => void,
  ): boolean {
    if (!plate.serves(key, view, bounds, sharp)) {
      plate.paint(key, view, ratio, draw);
      return false;
    }
    return !plate.serves(key, view, bounds, true);
  }

  private ground(onto: Context, picture: Picture, carried: ReadonlySet<string>, only: boolean): void {
    paintGround(onto, picture, { carried, only });
    const many = session.state.selection.size > MANY;
    // While something is carried it is (nearly always) the selection, so its rings go along with it.
    if (many && only === carried.size > 0) paintSelection(onto, picture, NO_CARRY);
  }
}

function clear(context: Context, view: View, ratio: number): void {
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

const grown = (rect: Rect | null): Rect | null =>
  rect && { x: rect.x - STRAY, y: rect.y - STRAY, w: rect.w + 2 * STRAY, h: rect.h + 2 * STRAY };
