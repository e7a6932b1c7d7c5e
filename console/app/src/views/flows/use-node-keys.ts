import { useReactFlow } from '@xyflow/react';
import { type KeyboardEvent, type RefObject, useRef } from 'react';
import { useCommands } from '../../keys/commands.js';
import type { LayoutJob, Places } from './layout.js';
import { type Direction, neighbourOf } from './neighbour.js';

const NODE = '.react-flow__node';

interface Of extends LayoutJob {
  readonly places: Places | undefined;
  /** The node that is open; where no node has the focus, arrows begin there. */
  readonly current: string | undefined;
  readonly onOpen: (id: string) => void;
  /** An arrow has come to a node. */
  readonly onReach: (id: string) => void;
}

/** Nodes of a graph by keys: arrows move the focus, Enter and Space do what a click does. For the element around the graph. */
export function useNodeKeys({ boxes, links, places, current, onOpen, onReach }: Of): { readonly ref: RefObject<HTMLDivElement | null>; readonly onKeyDown: (event: KeyboardEvent) => void } {
  const ref = useRef<HTMLDivElement>(null);
  const { setCenter, getZoom } = useReactFlow();
  const element = (id: string): HTMLElement | null | undefined => ref.current?.querySelector<HTMLElement>(`${NODE}[data-id="${CSS.escape(id)}"]`);
  const reach = (id: string | undefined): void => {
    const place = id === undefined ? undefined : places?.[id];
    if (id === undefined || place === undefined) return;
    // Of a large graph only what is in sight is drawn.
    if (element(id)) element(id)?.focus({ preventScroll: true });
    else void setCenter(place[0], place[1], { zoom: getZoom() }).then(() => requestAnimationFrame(() => element(id)?.focus({ preventScroll: true })));
    onReach(id);
  };
  const go = (direction: Direction): void => {
    if (places === undefined) return;
    const focused = document.activeElement?.closest(NODE);
    const from = (focused && ref.current?.contains(focused) ? nodeId(focused) : undefined) ?? (current !== undefined && places[current] ? current : undefined);
    reach(from === undefined ? firstOf(places) : neighbourOf(from, direction, { boxes, links, places }));
  };
  useCommands([
    { title: 'Node that it leads to', keys: ['ArrowRight'], quiet: true, run: () => go('right') },
    { title: 'Node that leads to it', keys: ['ArrowLeft'], quiet: true, run: () => go('left') },
    { title: 'Node below', keys: ['ArrowDown'], quiet: true, run: () => go('down') },
    { title: 'Node above', keys: ['ArrowUp'], quiet: true, run: () => go('up') },
  ]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const node = event.target instanceof Element && event.target.matches(NODE) ? nodeId(event.target) : undefined;
    if (node === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    onOpen(node);
  };
  return { ref, onKeyDown };
}

function nodeId(node: Element): string | undefined {
  return node.getAttribute('data-id') ?? undefined;
}

/** The upper one of those on the left. */
function firstOf(places: Places): string | undefined {
  return Object.entries(places).sort(([, a], [, b]) => a[0] - b[0] || a[1] - b[1])[0]?.[0];
}
