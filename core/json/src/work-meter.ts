/**
 * What one check may still cost. A unit is about what a character costs the linear matcher: 5 ns on a machine of 2024. One
 * for the process, because compiled schemas count in line; a check sets it before it begins and nothing awaits in between.
 */
export const meter = {
  left: 0,
  /** Thrown when nothing is left; made once, because a stack for each hostile value would be work too. */
  signal: new Error('the check costs more than one value may'),
};

/** Takes `units` from what is left. @throws the meter's signal when that is too little */
export function charge(units: number): void {
  meter.left -= units;
  if (meter.left < 0) throw meter.signal;
}
