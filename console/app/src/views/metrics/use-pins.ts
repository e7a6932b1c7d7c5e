import { useSyncExternalStore } from 'react';
import { taste } from '../../theme/taste.js';
import { type Pin, readPins, toggled } from './pins.js';

const NAME = 'pinned-charts';

/** The pinned charts, and what pins one or takes it away. */
export function usePins(): readonly [pins: readonly Pin[], toggle: (pin: Pin) => void] {
  const pins = readPins(useSyncExternalStore((listener) => taste.onChange(listener), () => taste.read(NAME)));
  return [pins, (pin) => taste.keep(NAME, JSON.stringify(toggled(pins, pin)))];
}
