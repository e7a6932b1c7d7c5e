import type { ConfigSchema } from '@treadle/api';
import { expect } from 'chai';
import { valueFault } from './value-fault.js';

const SCHEMA: ConfigSchema = {
  type: 'object', additionalProperties: false, required: ['topic'],
  properties: {
    topic: { type: 'string', minLength: 1 }, qos: { enum: [0, 1] }, 'user-name': { type: 'string' },
    tags: { type: 'array', items: { type: 'object', required: ['k'], properties: { k: { type: 'integer', minimum: 1 } } } },
  },
};

describe('what is wrong with a value by a schema', () => {
  for (const [value, fault] of [
    [{ topic: 't', qos: 1, tags: [{ k: 1 }] }, undefined],
    [{}, '"topic" is missing'],
    [{ topic: '' }, 'topic must not be empty'],
    [{ topic: 1 }, 'topic: expected string, got 1'],
    [{ topic: 't', qos: 2 }, 'qos: expected one of 0, 1, got 2'],
    [{ topic: 't', tpic: 1 }, 'there is no "tpic"; did you mean "topic"?'],
    [{ topic: 't', zzz: 1 }, 'there is no "zzz"; known are topic, qos, user-name, tags'],
    [{ topic: 't', tags: [{ k: 1 }, {}] }, '"tags[1].k" is missing'],
    [{ topic: 't', tags: [{ k: 0 }] }, 'k must be >= 1; got 0'],
    [[], 'the value: expected map, got an empty list'],
  ] as const) {
    it(`is told: ${fault ?? 'nothing'}`, () => expect(valueFault(value, SCHEMA)).to.equal(fault));
  }

  it('is thrown when the schema itself is none', () => {
    expect(() => valueFault({}, { type: 'nothing' } as unknown as ConfigSchema)).to.throw();
  });
});
