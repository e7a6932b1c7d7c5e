import dagre from '@dagrejs/dagre';

/** What is placed. */
export interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** Boxes and what leads from one to another, by their ids. */
export interface LayoutJob {
  readonly boxes: readonly Box[];
  readonly links: readonly (readonly [from: string, to: string])[];
}

/** The upper left corner of each box, by its id. */
export type Places = Readonly<Record<string, readonly [x: number, y: number]>>;

/** From left to right; boxes in the order of their ids, so that a new Step does not reshuffle the others. */
export function placesOf({ boxes, links }: LayoutJob): Places {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 26, ranksep: 64, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const sorted = [...boxes].sort((a, b) => a.id.localeCompare(b.id));
  for (const { id, width, height } of sorted) graph.setNode(id, { width, height });
  const known = new Set(boxes.map(({ id }) => id));
  const drawn = links.filter(([from, to]) => known.has(from) && known.has(to));
  for (const [from, to] of drawn.sort((a, b) => a.join(' ').localeCompare(b.join(' ')))) graph.setEdge(from, to);
  dagre.layout(graph);
  return Object.fromEntries(sorted.map(({ id, width, height }) => {
    const { x = 0, y = 0 } = graph.node(id) as { readonly x?: number; readonly y?: number };
    return [id, [x - width / 2, y - height / 2] as const];
  }));
}
