import { expect } from 'chai';
import { multipleOf } from './multiple-of.js';

const cents = Array.from({ length: 10_000 }, (_, index) => index / 100);

/** Divisor, its multiples, and numbers that are none. */
const TABLE: readonly (readonly [number, readonly number[], readonly number[]])[] = [
  [0.5, [0, 0.5, -1.5, 1125899906842624.5, 1e300], [0.25, 0.4999999999999999, 140737488355328.0625, 281474976710656.125, 1125899906842624.25]],
  [0.25, [0.25, 281474976710656.25], [281474976710656.125, 70368744177664.015625]],
  [1.5, [0, 1.5, -4.5, 3], [1, 1.4999999999999998]],
  [2 ** -10, [2 ** -10, 1, 3 * 2 ** -10], [2 ** -11, 137438953472 + 2 ** -11]],
  [0.01, [...cents, -19.99, 1e15, 123456789012.34], [0.005, 19.995, 123456789012.345]],
  [0.1, [0.3, 0.7, 1.1, 4.35e1], [0.35, 1.05]],
  [1e-7, [3e-7, 1, 0.1234567], [1.5e-7, 0.12345678]],
  [3, [0, -9, 9007199254740990], [1, 4.5, 9007199254740991]],
  [0, [], [0, 1]],
];

describe('multipleOf', () => {
  for (const [divisor, multiples, others] of TABLE) {
    it(`judges multiples of ${divisor}`, () => {
      expect(multiples.filter((value) => !multipleOf(divisor)(value)), 'refused').to.deep.equal([]);
      expect(others.filter((value) => multipleOf(divisor)(value)), 'taken').to.deep.equal([]);
    });
  }
});
