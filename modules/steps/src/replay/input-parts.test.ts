import { expect } from 'chai';
import { request } from '../steps.fixture.js';
import { meantText, partsOf, shownText, textOf } from './input-parts.js';

const HEAD = { method: 'POST', path: '/a', query: { token: 't0ken', page: '1' }, headers: { cookie: 'id=s3cret', accept: '*/*' } };
const http = (bodyText: string) => partsOf(request({ input: { ...HEAD, body: { kind: 'json', value: JSON.parse(bodyText) as unknown } }, bodyText }));

describe('a recorded input', () => {
  it('is shown digit for digit, with stand-ins for the secrets of headers and query', () => {
    const shown = shownText(http('{"id":9007199254740993.10,"password":"of the body"}'));
    expect(shown).not.to.contain('s3cret').and.not.to.contain('t0ken');
    expect(shown).to.contain('"cookie":"[secret headers.cookie]"').and.to.contain('"token":"[secret query.token]"').and.to.contain('"page":"1"').and.to.contain('9007199254740993.10').and.to.contain('of the body');
  });

  it('has its secrets again when it comes back, also indented and with another body', () => {
    const parts = http('{"id":9007199254740993}');
    expect(meantText(shownText(parts), parts)).to.equal(textOf(parts));
    const edited = JSON.stringify({ ...JSON.parse(shownText(parts)) as object, body: { kind: 'json', value: 2 } }, null, 2);
    expect(JSON.parse(meantText(edited, parts))).to.deep.equal({ ...HEAD, body: { kind: 'json', value: 2 } });
  });

  it('takes another value for a secret, and tells a secret nowhere else', () => {
    const parts = http('{}');
    expect(meantText(shownText(parts).replace('[secret headers.cookie]', 'id=other'), parts)).to.contain('id=other').and.to.contain('t0ken').and.not.to.contain('s3cret');
    for (const text of ['{"body":{"kind":"json","value":"[secret headers.cookie]"}}', '{"headers":{"accept":"[secret headers.cookie]"}}', shownText(parts).replace('"*/*"', '"[secret headers.cookie]"')]) {
      expect(() => meantText(text, parts), text).to.throw('[secret headers.cookie] means a secret');
    }
    expect(() => meantText('{', parts)).to.throw('"input" is not JSON');
  });

  it('of a message is its text, which is not read for that', () => {
    const unread = request({ trigger: { type: 'queue', index: 0 }, inputText: '{"n":1.0,"cookie":"c"}' });
    const parts = partsOf(Object.defineProperty(unread, 'input', { get: () => { throw new Error('it was read'); } }));
    expect([textOf(parts), shownText(parts), meantText('[1.50]', parts)]).to.deep.equal(['{"n":1.0,"cookie":"c"}', '{"n":1.0,"cookie":"c"}', '[1.50]']);
  });
});
