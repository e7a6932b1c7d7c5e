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

  const COOKIE = '[secret headers.cookie]';
  const ESCAPED = '\\u005bsecret headers.cookie]';
  const elsewhere: Readonly<Record<string, string>> = {
    'a body beside an escaped one in its place': `{"headers":{"cookie":"${ESCAPED}"},"body":{"kind":"json","value":"${COOKIE}"}}`,
    'an escaped one in a body': `{"headers":{"cookie":"${COOKIE}"},"body":"${ESCAPED}"}`,
    'an escaped name': `{"headers":{"cookie":"${COOKIE}","${ESCAPED}":1}}`,
    'a part of a text': `{"headers":{"cookie":"${COOKIE}","accept":"a ${ESCAPED} b"}}`,
    'a member that a later one replaces': `{"headers":{"cookie":"${COOKIE}"},"headers":{}}`,
    'a value that a later one replaces': `{"headers":{"cookie":"${COOKIE}","cookie":"other"}}`,
    'a value that replaces one': `{"headers":{"cookie":"${COOKIE}","cookie":"${ESCAPED}"}}`,
    'a place of the same name deeper within': `{"body":{"headers":{"cookie":"${COOKIE}"}}}`,
    'a list': `{"headers":[{"cookie":"${COOKIE}"}]}`,
  };
  for (const [name, text] of Object.entries(elsewhere)) {
    it(`tells no secret in ${name}`, () => {
      expect(() => meantText(text, http('{}'))).to.throw('[secret headers.cookie] means a secret');
    });
  }

  it('has the secret of an escaped stand-in in its place, and of a name that JSON escapes', () => {
    expect(meantText(`{"body":"\\"{[,","headers" : { "a":[{}], "cookie":"${ESCAPED}" }}`, http('{}'))).to.equal('{"body":"\\"{[,","headers" : { "a":[{}], "cookie":"id=s3cret" }}');
    const parts = partsOf(request({ input: { query: { 'my"token': 't0ken' }, headers: { cookie: '"[secret query.my\\"token]"' } } }));
    expect(meantText(shownText(parts), parts)).to.equal(textOf(parts));
  });

  it('of a message is its text, which is not read for that', () => {
    const unread = request({ trigger: { type: 'queue', index: 0 }, inputText: '{"n":1.0,"cookie":"c"}' });
    const parts = partsOf(Object.defineProperty(unread, 'input', { get: () => { throw new Error('it was read'); } }));
    expect([textOf(parts), shownText(parts), meantText('[1.50]', parts)]).to.deep.equal(['{"n":1.0,"cookie":"c"}', '{"n":1.0,"cookie":"c"}', '[1.50]']);
  });
});
