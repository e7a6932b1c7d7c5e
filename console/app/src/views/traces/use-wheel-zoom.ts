import { type RefObject, useEffect, useRef } from 'react';
import type { TimeScale } from './time-scale.js';
import { panned, zoomedBy } from './zoom.js';

/** Zoom of a notch of a wheel, which is some 100 units. */
const PER_UNIT = 1.0025;
/** Steps to the side of a unit. */
const STEPS_PER_UNIT = 0.01;
/** What comes faster is gathered: browsers let a page change its address some 20 times a second, and ignore the rest. */
const EVERY_MS = 50;

interface Wheel {
  /** Where the wheel counts. */
  readonly frame: RefObject<HTMLElement | null>;
  /** What lies over the time that is shown, as wide as it. */
  readonly axis: RefObject<HTMLElement | null>;
  readonly whole: TimeScale;
  readonly shown: TimeScale;
  readonly onZoom: (text: string | null) => void;
}

/** A movement of the wheel, or several that were gathered. */
interface Turn {
  readonly isZoom: boolean;
  readonly units: number;
  readonly around: number;
}

/** The wheel with Ctrl or ⌘, or two fingers that part, zooms around the pointer; with Shift, or to the side, it moves. Alone it scrolls, as everywhere. */
export function useWheelZoom(wheel: Wheel): void {
  const latest = useRef(wheel);
  latest.current = wheel;
  useEffect(() => {
    const frame = latest.current.frame.current;
    let gathered: Turn | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const act = (): void => {
      const { whole, shown, onZoom } = latest.current;
      timer = gathered && setTimeout(act, EVERY_MS);
      if (gathered) onZoom(gathered.isZoom ? zoomedBy(whole, shown, { factor: PER_UNIT ** gathered.units, around: gathered.around }) : panned(whole, shown, gathered.units * STEPS_PER_UNIT));
      gathered = undefined;
    };
    const turned = (event: WheelEvent): void => {
      const box = latest.current.axis.current?.getBoundingClientRect();
      const isZoom = event.ctrlKey || event.metaKey;
      const aside = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (!box || (!isZoom && Math.abs(aside) <= Math.abs(event.shiftKey ? 0 : event.deltaY))) return;
      event.preventDefault();
      const around = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
      gathered = { isZoom, units: (isZoom ? event.deltaY : aside) + (gathered?.isZoom === isZoom ? gathered.units : 0), around };
      if (timer === undefined) act();
    };
    // React's own listeners may not keep the page from zooming.
    frame?.addEventListener('wheel', turned, { passive: false });
    return () => {
      clearTimeout(timer);
      frame?.removeEventListener('wheel', turned);
    };
  }, []);
}
