import { expect } from 'chai';
import { schemaIssues } from './schema-issues.js';

describe('schemaIssues', () => {
  it('warns of patterns that may take a text in very many ways', () => {
    const schema = { properties: { a: { pattern: '^(a+)+$' }, pattern: { type: 'string' }, b: { const: { pattern: '(a+)+' } } }, patternProperties: { '^(x|x)*$': true } };
    const issues = schemaIssues('bodySchema', schema);
    expect(issues.map(({ code, severity }) => `${severity} ${code}`)).to.deep.equal(['warning STEP_SLOW_PATTERN', 'warning STEP_SLOW_PATTERN']);
    expect(issues[1]?.message).to.equal('the pattern /^(a+)+$/ in bodySchema may take a text in very many ways; the engine runs it in linear time, a handler that uses it does not');
  });

  it('warns of a pattern that can only be tried', () => {
    expect(schemaIssues('input', { pattern: '^(a)\\1$' })[0]?.message).to.equal('the pattern /^(a)\\1$/ in input repeats what a group matched; a text that takes too many steps is refused as too complex');
  });

  it('has nothing to say of patterns as people write them', () => {
    for (const pattern of ['^[a-z0-9]+(?:-[a-z0-9]+)*$', '^\\d{3}-\\d{4}$', '^\\S+@\\S+\\.\\S+$', '^#?([a-f0-9]{6}|[a-f0-9]{3})$', '^https?://', '^(?!\\.)[\\w.]+$']) expect(schemaIssues('input', { pattern })).to.deep.equal([]);
  });

  it('tells why a schema cannot be compiled', () => {
    expect(schemaIssues('input', { type: 'nonsense' })[0]).to.include({ code: 'STEP_BAD_SCHEMA', key: 'input' });
  });

  it('compiles a schema once, whichever object brings it', () => {
    let reads = 0;
    const schema = (): object => ({ get minLength() { reads += 1; return 41_907; }, pattern: '^(a+)+$' });
    const first = schemaIssues('input', schema());
    const before = reads;
    expect(schemaIssues('input', schema())).to.deep.equal(first).and.have.length(1);
    expect(reads - before, 'reads of the second one').to.equal(1);
    expect(before).to.be.greaterThan(1);
  });

  it('tells of a schema that contains itself as an object', () => {
    const schema: Record<string, unknown> = {};
    schema['properties'] = { again: schema };
    expect(schemaIssues('input', schema)[0]).to.include({ code: 'STEP_BAD_SCHEMA' });
  });
});
