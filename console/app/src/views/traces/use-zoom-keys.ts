import { useCommands } from '../../keys/commands.js';
import type { TimeScale } from './time-scale.js';
import { panned, zoomedBy } from './zoom.js';

const FACTOR = 2;

/** Zooming around the middle and moving to the sides. */
export function useZoomKeys(whole: TimeScale, shown: TimeScale, onZoom: (text: string | null) => void): void {
  useCommands([
    { title: 'Zoom into the time', keys: ['w'], run: () => onZoom(zoomedBy(whole, shown, { factor: 1 / FACTOR })) },
    { title: 'Zoom out of the time', keys: ['s'], run: () => onZoom(zoomedBy(whole, shown, { factor: FACTOR })) },
    { title: 'Earlier part of the trace', keys: ['a'], run: () => onZoom(panned(whole, shown, -1)) },
    { title: 'Later part of the trace', keys: ['d'], run: () => onZoom(panned(whole, shown, 1)) },
  ]);
}
