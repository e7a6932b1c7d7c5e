type Next = ReadonlyMap<string, readonly string[]>;

/** Groups of nodes that all lead to each other and to nothing else; a node alone only when it leads to itself. Each node and edge is looked at a few times, however long the ways are. */
export function closedCircles(edges: Iterable<{ readonly from: string; readonly to: string }>): readonly (readonly string[])[] {
  const [next, former] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for (const { from, to } of edges) {
    put(next, from, to);
    put(former, to, from);
  }
  const taken = new Set<string>();
  // From its end backwards every group comes after all that it leads to (Kosaraju).
  return endsOf(former, [...next.keys(), ...former.keys()]).reverse().flatMap((start) => (taken.has(start) ? [] : closed(next, start, taken)));
}

/** The group of `start`, if nothing leads out of it. What was `taken` before is of other groups. */
function closed(next: Next, start: string, taken: Set<string>): readonly (readonly string[])[] {
  const group = new Set([start]);
  let leadsOut = false;
  for (const node of group) {
    for (const to of next.get(node) ?? []) {
      if (taken.has(to)) leadsOut = true;
      else group.add(to);
    }
  }
  for (const node of group) taken.add(node);
  const isCircle = group.size > 1 || next.get(start)?.includes(start) === true;
  return isCircle && !leadsOut ? [[...group]] : [];
}

/** Every node that can be reached from the `roots`, after all that were reached by way of it. */
function endsOf(next: Next, roots: Iterable<string>): string[] {
  const [seen, ended] = [new Set<string>(), [] as string[]];
  for (const root of roots) {
    const open: { readonly node: string; readonly isLeft: boolean }[] = [{ node: root, isLeft: false }];
    for (let at = open.pop(); at; at = open.pop()) {
      const { node, isLeft } = at;
      if (isLeft) ended.push(node);
      if (isLeft || seen.has(node)) continue;
      seen.add(node);
      open.push({ node, isLeft: true });
      for (const to of next.get(node) ?? []) open.push({ node: to, isLeft: false });
    }
  }
  return ended;
}

function put(lists: Map<string, string[]>, name: string, value: string): void {
  const known = lists.get(name);
  if (known) known.push(value);
  else lists.set(name, [value]);
}
