import { BaseEdge, type EdgeProps, getSmoothStepPath } from '@xyflow/react';

/** Below the middle of a card: beneath its lower side, above the next row. */
const BELOW = 58;
/** As they stand in an edge. */
const LOOKS = ['label', 'labelStyle', 'labelBgStyle', 'markerEnd', 'style'] as const;

/** Leads back to the left, below the cards that it would be hidden behind. */
export function BackEdge(edge: EdgeProps) {
  const { sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition } = edge;
  const [path, labelX, labelY] = getSmoothStepPath({ sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition, centerY: Math.max(sourceY, targetY) + BELOW, borderRadius: 8 });
  const looks = Object.fromEntries(LOOKS.map((name) => [name, edge[name]])) as Pick<EdgeProps, (typeof LOOKS)[number]>;
  return <BaseEdge path={path} labelX={labelX} labelY={labelY} {...looks} />;
}
