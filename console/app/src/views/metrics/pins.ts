/** A chart that somebody wants to see first; kept in this browser. */
export interface Pin {
  readonly metric: string;
  /** As the address has them: how its series are added up, and what is drawn. */
  readonly by: string;
  readonly show: string;
}

const MOST = 24;

/** Those that are kept, the first one first. */
export function readPins(text: string | null): readonly Pin[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isPin).slice(0, MOST) : [];
  } catch {
    return []; // Written by hand, or cut.
  }
}

function isPin(value: unknown): value is Pin {
  const { metric, by, show } = (value ?? {}) as Partial<Record<keyof Pin, unknown>>;
  return [metric, by, show].every((text) => typeof text === 'string') && metric !== '';
}

export const samePin = (a: Pin, b: Pin): boolean => a.metric === b.metric && a.by === b.by && a.show === b.show;

/** Without this one where it was there, else with it. */
export function toggled(pins: readonly Pin[], pin: Pin): readonly Pin[] {
  return pins.some((one) => samePin(one, pin)) ? pins.filter((one) => !samePin(one, pin)) : [...pins, pin].slice(-MOST);
}
