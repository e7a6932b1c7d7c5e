/** How far a quotient may be from a whole number, in parts of itself: so far as dividing two decimals that are not exact in binary may bring it. */
const QUOTIENT_TOLERANCE = 2 ** -51;
/** What it may be from a whole number at most: decimals stay within it up to a quotient of 2 to the power of 50, and a half is none. */
const MOST_TOLERANCE = 1 / 4;

/**
 * The rule of `multipleOf` in every schema, for config as for what applications are sent: whether a number is a whole multiple of another one, as both are written.
 * 19.99 is one of 0.01. What is exact in binary, as 3 and 0.5, has no tolerance.
 */
export function multipleOf(divisor: number): (value: number) => boolean {
  // A remainder is computed exactly.
  if (isExact(divisor)) return (value) => value % divisor === 0;
  return (value) => {
    const quotient = value / divisor;
    return Math.abs(Math.round(quotient) - quotient) <= Math.min(Math.abs(quotient) * QUOTIENT_TOLERANCE, MOST_TOLERANCE);
  };
}

/** Whether a number is exactly what its shortest decimal says: then the decimal has as many factors of five as it has places. */
function isExact(number: number): boolean {
  if (Number.isInteger(number)) return true;
  const [, whole = '', places = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(number)) ?? [];
  return whole !== '' && BigInt(whole + places) % 5n ** BigInt(places.length + Number(exponent)) === 0n;
}
