/** The canvas: React Flow for the near view and for panning, our own layers for everything else. */

import "@xyflow/react/dist/base.css";
import "./canvas.css";
import "./near/card.css";
import "./near/arrow.css";

import { ReactFlow, ReactFlowProvider, type Edge, type NodeTypes } from "@xyflow/react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useStore } from "../ui/store";
import { register, useSession } from "../session";
import { FarView } from "./far/FarView";
import { GESTURES } from "./gestures/registry";
import { listenToPointer } from "./gestures/pointer";
import { followSession } from "./layout/syncScene";
import { Arrows } from "./near/Arrows";
import { Groups } from "./near/GroupFrames";
import { StateCard } from "./near/StateCard";
import { Announcer } from "./view/Announcer";
import { StageProvider } from "./view/stageContext";
import { Controls } from "./view/Controls";
import { Minimap } from "./view/Minimap";
import { Say } from "./view/EmptyCanvas";
import { Stage, ZOOM } from "./view/stage";
import { Tip } from "./view/FarTooltip";
import { useFocus } from "./view/useFocusRequests";
import { useShown } from "./view/visibleElements";
import { answerQuestions } from "./view/pageApi";

const NODE_TYPES: NodeTypes = { state: StateCard };
const NO_EDGES: Edge[] = [];

export function Canvas({ onStage }: { onStage?: (stage: Stage) => void }) {
  const stage = useMemo(() => new Stage(), []);
  useEffect(() => onStage?.(stage), [onStage, stage]);
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
  const shown = useShown(stage);
  const far = useStore(stage.mode, (mode) => mode.far);
  const compact = useStore(stage.mode, (mode) => mode.compact);
  const readOnly = useSession((session) => session.readOnly);
  // Before any layer's effect looks for it.
  useLayoutEffect(() => {
    stage.element = place.current;
  }, [stage]);
  useEffect(() => {
    const root = place.current;
    if (!root || !ready) return undefined;
    const stops = [
      measure(root, stage),
      followSession(stage),
      listenToPointer(root, stage, GESTURES),
      register(GESTURES.flatMap((gesture) => gesture.commands?.(stage) ?? [])),
      answerQuestions(stage),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [stage, ready]);
  useFocus(stage);
  useEffect(() => {
    // Gestures put their own classes here, so React must not own the whole attribute.
    const names = { "is-far": far, compact, "read-only": readOnly };
    for (const [name, on] of Object.entries(names)) place.current?.classList.toggle(name, on);
  }, [far, compact, readOnly]);
  return (
    <div
      ref={place}
      className="canvas"
      tabIndex={-1}
      role="application"
      aria-label="Workflow. Arrow keys go from state to state, Alt and arrow keys follow arrows."
    >
      <ReactFlow
        nodes={shown.nodes}
        edges={NO_EDGES}
        nodeTypes={NODE_TYPES}
        onInit={(flow) => {
          stage.flow = flow;
          setReady(true);
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
        zoomActivationKeyCode={null}
        disableKeyboardA11y
        proOptions={NO_SIGN}
      >
        <Groups shown={shown} />
        {!far && <Arrows shown={shown} />}
      </ReactFlow>
      <FarView />
      {ready && GESTURES.map(({ name, Layer }) => Layer && <Layer key={name} />)}
      <Say />
      <Tip />
      <Controls />
      <Minimap />
      <Announcer />
    </div>
  );
}

const NO_SIGN = { hideAttribution: true };

/** The canvas's own size, for everything that must know what is in the window. */
function measure(root: HTMLElement, stage: Stage): () => void {
  const look = () => stage.resized(root.clientWidth, root.clientHeight);
  const observer = new ResizeObserver(look);
  observer.observe(root);
  look();
  return () => observer.disconnect();
}
