import type { LayoutJob, Places } from './layout.js';

export type Direction = 'left' | 'right' | 'up' | 'down';

/** Where an arrow leads from a box, if anywhere: left and right along the links, to the nearest at the same height; up and down to the next box of the same column. */
export function neighbourOf(id: string, direction: Direction, { boxes, links, places }: LayoutJob & { readonly places: Places }): string | undefined {
  const spans = new Map(boxes.flatMap((box) => {
    const place = places[box.id];
    return place === undefined ? [] : [[box.id, { left: place[0], right: place[0] + box.width, middle: place[1] + box.height / 2 }] as const];
  }));
  const own = spans.get(id);
  if (!own) return undefined;
  const linked = direction === 'right' ? links.filter(([from]) => from === id).map(([, to]) => to) : links.filter(([, to]) => to === id).map(([from]) => from);
  const beside = [...spans].filter(([, { left, right, middle }]) => left < own.right && right > own.left && (direction === 'down' ? middle > own.middle : middle < own.middle)).map(([other]) => other);
  const away = (other: string): number => Math.abs((spans.get(other)?.middle ?? Infinity) - own.middle);
  return (direction === 'left' || direction === 'right' ? linked : beside).filter((other) => other !== id && spans.has(other)).sort((a, b) => away(a) - away(b))[0];
}
