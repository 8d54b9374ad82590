/** The canvas: React Flow renders the near view and pans; our own layers do the rest. */

import "@xyflow/react/dist/base.css";
import { useStore } from "zustand";
import "./canvas.css";
import "./near/card.css";
import "./near/cardChips.css";
import "./near/cardAgent.css";
import "./near/cardLevel.css";
import "./near/cardPorts.css";
import "./near/cardCompact.css";
import "./near/heat.css";
import "./near/arrow.css";

import { ReactFlow, ReactFlowProvider, type Edge, type NodeTypes } from "@xyflow/react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { registerCommands, registerMenu, useSession } from "../session";
import { FarView } from "./far/FarView";
import { GESTURES } from "./gestures/registry";
import { listenToPointer } from "./gestures/pointer";
import { syncSceneWithSession } from "./layout/syncScene";
import { Arrows } from "./near/Arrows";
import { GroupFrames } from "./near/GroupFrames";
import { StateCard } from "./near/StateCard";
import { installPicture } from "./picture";
import { Announcer } from "./view/Announcer";
import { CanvasMenu } from "./view/CanvasMenu";
import { StageProvider } from "./view/stageContext";
import { stopGlide } from "./view/glide";
import { Controls } from "./view/Controls";
import { Minimap } from "./view/Minimap";
import { EmptyCanvas } from "./view/EmptyCanvas";
import { Stage, ZOOM } from "./view/stage";
import { FarTooltip } from "./view/FarTooltip";
import { useFocusRequests } from "./view/useFocusRequests";
import { useVisibleElements } from "./view/visibleElements";
import { installPageApi } from "./view/pageApi";

const NODE_TYPES: NodeTypes = { state: StateCard };
const NO_EDGES: Edge[] = [];

export function Canvas() {
  const stage = useMemo(() => new Stage(), []);
  return (
    <ReactFlowProvider>
      <StageProvider value={stage}>
        <Surface stage={stage} />
      </StageProvider>
    </ReactFlowProvider>
  );
}

function Surface({ stage }: { stage: Stage }) {
  const place = useRef<HTMLDivElement>(null);
  const [ready, setReady] = useState(false);
  const elements = useVisibleElements(stage);
  const far = useStore(stage.mode, (mode) => mode.far);
  const compact = useStore(stage.mode, (mode) => mode.compact);
  const readOnly = useSession((session) => session.readOnly);
  const broken = useSession((session) => session.brokenText !== null);
  // A layout effect, so that the element is set before the effects of the layers run.
  useLayoutEffect(() => {
    stage.element = place.current;
  }, [stage]);
  useEffect(() => {
    const root = place.current;
    if (!root || !ready) return undefined;
    const unsubscribers = [
      observeSize(root, stage),
      syncSceneWithSession(stage),
      listenToPointer(root, stage, GESTURES),
      registerCommands(
        GESTURES.flatMap((gesture) => gesture.commands?.(stage) ?? []).map((command) => ({
          canvas: true,
          ...command,
        })),
      ),
      registerMenu((at) => GESTURES.flatMap((gesture) => gesture.menu?.(at, stage) ?? [])),
      installPageApi(stage),
      installPicture(stage),
    ];
    return () => {
      for (const stop of unsubscribers) stop();
    };
  }, [stage, ready]);
  useFocusRequests(stage);
  useEffect(() => {
    // Gestures set classes here too, so React must not own the whole attribute.
    const names = { "is-far": far, compact, "read-only": readOnly, broken };
    for (const [name, on] of Object.entries(names)) place.current?.classList.toggle(name, on);
  }, [far, compact, readOnly, broken]);
  return (
    <div
      ref={place}
      className="canvas"
      tabIndex={-1}
      role="application"
      translate="no"
      aria-label="Workflow. Arrow keys go from state to state, Alt and arrow keys follow arrows."
    >
      <ReactFlow
        nodes={elements.nodes}
        edges={NO_EDGES}
        nodeTypes={NODE_TYPES}
        onInit={(flow) => {
          stage.flow = flow;
          setReady(true);
        }}
        // React Flow reports the first turn of the wheel as a start only.
        onMoveStart={(event, view) => {
          if (event) stopGlide();
          stage.moved(view);
        }}
        onMove={(_, view) => stage.moved(view)}
        minZoom={ZOOM.least}
        maxZoom={ZOOM.most}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        zoomOnDoubleClick={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        zoomActivationKeyCode="Meta"
        panOnScroll
        panOnScrollSpeed={1}
        zoomOnScroll={false}
        zoomOnPinch
        panActivationKeyCode="Space"
        disableKeyboardA11y
        proOptions={HIDE_ATTRIBUTION}
      >
        <GroupFrames elements={elements} />
        {!far && <Arrows elements={elements} />}
      </ReactFlow>
      <FarView />
      {ready && GESTURES.map(({ name, Layer }) => Layer && <Layer key={name} />)}
      <EmptyCanvas />
      <FarTooltip />
      <Controls />
      <Minimap />
      <CanvasMenu />
      <Announcer />
    </div>
  );
}

const HIDE_ATTRIBUTION = { hideAttribution: true };

/** Keep the stage informed of the canvas's size. */
function observeSize(root: HTMLElement, stage: Stage): () => void {
  const update = () => stage.resized(root.clientWidth, root.clientHeight);
  const observer = new ResizeObserver(update);
  observer.observe(root);
  update();
  return () => observer.disconnect();
}
