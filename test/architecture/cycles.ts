/** The first circle in a graph as a path that ends where it began; undefined without one. */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  for (const start of edges.keys()) {
    const cycle = walk(start, [], edges, done);
    if (cycle) return cycle;
  }
  return undefined;
}

function walk(
  node: string, path: readonly string[], edges: ReadonlyMap<string, readonly string[]>, done: Set<string>,
): readonly string[] | undefined {
  const seenAt = path.indexOf(node);
  if (seenAt >= 0) return [...path.slice(seenAt), node];
  if (done.has(node)) return undefined;
  for (const next of edges.get(node) ?? []) {
    const cycle = walk(next, [...path, node], edges, done);
    if (cycle) return cycle;
  }
  done.add(node);
  return undefined;
}
