/**
 * What one check may still cost. A unit is about what a character costs the linear matcher: 10 ns on a machine of 2024. One
 * for the process, because compiled schemas count in line; a check sets it before it begins and takes the limit away at its end, and nothing awaits in between.
 */
export const meter = {
  left: Infinity,
  /** What the last check has cost. */
  spent: 0,
  /** A text was refused on which a backtracking engine, such as a Step's own library has, might go on for ever. */
  explosive: false,
  /** Thrown when nothing is left; made once, because a stack for each hostile value would be work too. */
  signal: new Error('the check costs more than one value may'),
};

/** Takes `units` from what is left. @throws the meter's signal when that is too little */
export function charge(units: number): void {
  meter.left -= units;
  if (meter.left < 0) throw meter.signal;
}
