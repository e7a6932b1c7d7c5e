import { expect } from 'chai';
import fc from 'fast-check';
import { closedCircles } from './closed-circles.js';

type Edge = { readonly from: string; readonly to: string };

/** The same, by going on from every node. */
function slowly(edges: readonly Edge[]): readonly string[] {
  const ahead = (node: string): ReadonlySet<string> => {
    const found = new Set(edges.filter(({ from }) => from === node).map(({ to }) => to));
    for (const one of found) for (const { from, to } of edges) if (from === one) found.add(to);
    return found;
  };
  const nodes = [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
  return names(nodes.filter((node) => ahead(node).has(node) && [...ahead(node)].every((other) => ahead(other).has(node))).map((node) => [...ahead(node)]));
}

const names = (circles: readonly (readonly string[])[]): readonly string[] => [...new Set(circles.map((circle) => [...circle].sort().join(' ')))].sort();

describe('circles that nothing leads out of', () => {
  it('are those of which every node is ahead of every other, and nothing else is', () => {
    const node = fc.integer({ min: 0, max: 7 }).map(String);
    fc.assert(fc.property(fc.array(fc.record({ from: node, to: node }), { maxLength: 14 }), (edges) => {
      expect(names(closedCircles(edges))).to.deep.equal(slowly(edges));
    }), { numRuns: 500 });
  });

  it('are found at the end of a way that is long, and around it', () => {
    const way = Array.from({ length: 50_000 }, (_, at): Edge => ({ from: String(at), to: String(at + 1) }));
    expect(closedCircles(way)).to.deep.equal([]);
    expect(names(closedCircles([...way, { from: '50000', to: '49999' }]))).to.deep.equal(['49999 50000']);
    expect(closedCircles([...way, { from: '50000', to: '0' }])[0]).to.have.length(50_001);
  });
});
