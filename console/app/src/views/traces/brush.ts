import { type PointerEvent, useState } from 'react';

type Handlers<E extends Element> = Readonly<Record<'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel', (event: PointerEvent<E>) => void>>;

/** Shorter drags are clicks; part of the width. */
const SHORTEST = 0.005;

interface Brush<E extends Element> {
  /** What has been dragged over so far: parts of the width, the lesser first. */
  readonly span: readonly [from: number, to: number] | undefined;
  readonly handlers: Handlers<E>;
}

/** Dragging over a stretch of a drawing; `undefined` is a click. */
export function useBrush<E extends Element>(onBrush: (span: readonly [from: number, to: number] | undefined) => void): Brush<E> {
  const [drag, setDrag] = useState<readonly [number, number] | undefined>();
  const span = drag && [Math.min(...drag), Math.max(...drag)] as const;
  return {
    span,
    handlers: {
      onPointerDown: (event) => {
        // A menu of the browser keeps the end of any other from the page.
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag([partAt(event), partAt(event)]);
      },
      onPointerMove: (event) => void (drag && setDrag([drag[0], partAt(event)])),
      onPointerUp: () => {
        if (span) onBrush(span[1] - span[0] < SHORTEST ? undefined : span);
        setDrag(undefined);
      },
      onPointerCancel: () => setDrag(undefined),
    },
  };
}

function partAt({ currentTarget, clientX }: PointerEvent): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return Math.max(0, Math.min(1, (clientX - left) / width));
}
