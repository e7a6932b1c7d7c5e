import { useCommands } from '../../keys/commands.js';
import { type Extent, zoomText } from './timeline.js';

const FACTOR = 2;
/** Part of what is shown that a step to the side goes. */
const PAN = 0.25;

/** Zooming around the middle and moving to the sides. */
export function useZoomKeys(whole: Extent, shown: Extent, onZoom: (text: string | null) => void): void {
  const { offsetMs, lengthMs } = shown;
  const zoom = (factor: number): void => {
    const length = lengthMs * factor;
    const from = Math.max(0, Math.min(whole.lengthMs - length, offsetMs + (lengthMs - length) / 2));
    onZoom(zoomText(whole, from, from + length));
  };
  const pan = (part: number): void => {
    const from = Math.max(0, Math.min(whole.lengthMs - lengthMs, offsetMs + part * lengthMs));
    onZoom(zoomText(whole, from, from + lengthMs));
  };
  useCommands([
    { title: 'Zoom into the time', keys: ['w'], run: () => zoom(1 / FACTOR) },
    { title: 'Zoom out of the time', keys: ['s'], run: () => zoom(FACTOR) },
    { title: 'Earlier part of the trace', keys: ['a'], run: () => pan(-PAN) },
    { title: 'Later part of the trace', keys: ['d'], run: () => pan(PAN) },
  ]);
}
