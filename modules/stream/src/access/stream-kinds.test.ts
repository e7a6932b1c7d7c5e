import type { TriggerRecord } from '@treadle/api';
import { expect } from 'chai';
import { DECLARATION_KIND } from './stream-kinds.js';

describe('the declaration of a stream', () => {
  const issues = (schema: unknown): readonly string[] =>
    (DECLARATION_KIND.validate?.({ type: DECLARATION_KIND.type, streamName: 's', schema } as TriggerRecord) ?? []).map(({ key, code, message }) => `${key} ${code}: ${message}`);

  it('may have a schema that can be used', () => {
    for (const schema of [undefined, true, {}, { type: 'object', properties: { n: { type: 'integer' } } }]) expect(issues(schema)).to.deep.equal([]);
  });

  it('is a finding with one that cannot', () => {
    expect(issues({ type: 'strin' })).to.deep.equal(['schema STEP_BAD_SCHEMA: schema cannot be used: type must be JSONType or JSONType[]: strin']);
    expect(issues(5)).to.have.length(1);
  });
});
