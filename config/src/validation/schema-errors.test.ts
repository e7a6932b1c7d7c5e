import { expect } from 'chai';
import { schemaErrors } from './schema-errors.js';

/** Divisor, its multiples as they are written, and numbers that are none. */
const TABLE: readonly (readonly [number, readonly number[], readonly number[]])[] = [
  [5, [0, -15], [7, 10.000000000000002]],
  [0.5, [0.5, 1125899906842624.5], [0.3, 281474976710656.125]],
  [0.01, [19.99, 0.07, 1.1, 123456789012.34], [19.995, 0.005]],
];

describe('what is wrong with config by its schema', () => {
  for (const [divisor, multiples, others] of TABLE) {
    it(`is by the rule of all schemas that a number is no multiple of ${divisor}`, () => {
      const schema = { type: 'number', multipleOf: divisor } as const;
      const wrong = [...multiples, ...others].filter((value) => schemaErrors(value, schema).length > 0);
      expect(wrong).to.deep.equal(others);
      expect(schemaErrors(others[0], schema)[0]).to.deep.include({ keyword: 'multipleOf', schema: divisor });
    });
  }
});
