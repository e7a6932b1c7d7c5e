const RANGE = 0x1_0000_0000;
const DIGITS = 8;

/**
 * The decision for a whole trace, from the last 32 bits of its id: the same in every process with the same ratio, and
 * a trace of a smaller ratio is also one of every larger one.
 */
export function samplerOf(ratio: number): (traceId: string) => boolean {
  if (ratio >= 1) return () => true;
  if (ratio <= 0) return () => false;
  const limit = ratio * RANGE;
  return (traceId) => Number.parseInt(traceId.slice(-DIGITS), 16) < limit;
}
