/**
 * React Flow without our layers, for comparison: it gets all nodes and edges and measures them
 * itself.
 */

import "@xyflow/react/dist/style.css";
import { ReactFlow, useEdgesState, useNodesState, type Edge, type Node } from "@xyflow/react";
import type { Graph } from "../src/api/types";

export function Plain({ graph }: { graph: Graph }) {
  const [nodes, , onNodes] = useNodesState<Node>(
    graph.states.map((one) => ({
      id: one.id,
      position: { x: one.x ?? 0, y: one.y ?? 0 },
      data: { label: one.id },
    })),
  );
  const [edges, , onEdges] = useEdgesState<Edge>(
    graph.transitions.map((one) => ({
      id: one.id,
      source: one.source,
      target: one.target,
      label: one.label,
    })),
  );
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      onNodesChange={onNodes}
      onEdgesChange={onEdges}
      minZoom={0.01}
      defaultViewport={{ x: 40, y: 40, zoom: 1 }}
      onInit={(flow) => {
        window.bench.goTo = (view) => void flow.setViewport(view);
      }}
    />
  );
}
