import { randomFillSync } from 'node:crypto';

/** Crockford's alphabet: sorts as it counts. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 10;
const COUNT_DIGITS = 4;
const COUNT_LIMIT = 32 ** COUNT_DIGITS;

/**
 * Makes message ids of 26 characters: time in milliseconds, a count within it, and 60 random bits of this engine's
 * start. Later ones sort higher, also when the clock is set back while the engine runs.
 */
export class MessageIds {
  private readonly start: string;
  private time = 0;
  private timeText = '';
  private count = 0;

  constructor() {
    this.start = [...randomFillSync(new Uint8Array(12))].map((byte) => DIGITS[byte & 31]).join('');
  }

  /** `now`: milliseconds since the epoch. */
  next(now: number): string {
    if (now > this.time || this.count === COUNT_LIMIT) {
      this.time = Math.max(now, this.time + 1);
      this.timeText = encode(this.time, TIME_DIGITS);
      this.count = 0;
    }
    return this.timeText + encode(this.count++, COUNT_DIGITS) + this.start;
  }
}

function encode(value: number, digits: number): string {
  let text = '';
  for (let rest = value, left = digits; left > 0; left--) {
    text = (DIGITS[rest % 32] as string) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
