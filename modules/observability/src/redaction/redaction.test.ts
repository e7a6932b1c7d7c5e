import { isSecretField } from '@treadle/api';
import { expect } from 'chai';
import { span } from '../span.fixture.js';
import { safeLog } from './safe-fields.js';
import { safeAttributes, safeSpan, safeText } from './safe-span.js';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl';
const KEY = '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----';
const TEXTS: readonly (readonly [string, string])[] = [
  ['connect postgres://user:pw@db/x', 'connect postgres://[redacted]@db/x'], [`token ${JWT} end`, 'token [redacted] end'], [`a ${KEY} b`, 'a [redacted] b'],
  ['Authorization: Bearer abcdefgh12345', 'Authorization: Bearer [redacted]'], ['key AKIAIOSFODNN7EXAMPLE!', 'key [redacted]!'],
  [`ghp_${'a'.repeat(36)}`, '[redacted]'], ['xoxb-123456789012-abc', '[redacted]'], ['GET /x?access_token=abc&y=1', 'GET /x?access_token=[redacted]&y=1'],
  ['failed: password=hunter2, user=x', 'failed: password=[redacted], user=x'], ['{"user":"x","clientSecret":"a\\"b","n":1}', '{"user":"x","clientSecret":"[redacted]","n":1}'],
];

describe('redaction', () => {
  for (const [text, shown] of TEXTS) {
    it(`shows "${shown.slice(0, 40)}"`, () => expect(safeText(text)).to.equal(shown));
  }

  it('leaves what is no secret alone', () => {
    for (const text of ['GET /orders/:id', 'token expired', 'the key is missing', 'https://x.test/a?page=1', 'basically fine']) expect(safeText(text)).to.equal(text);
    for (const key of ['tokenize', 'state.key', 'monkey', 'keyboard', 'secretary']) expect(isSecretField(key, 'x')).to.equal(false);
    for (const key of ['dbPassword', 'http.request.header.authorization', 'api_key', 'SESSION-TOKEN', 'credentials', 'set-cookie']) expect(isSecretField(key, 'x')).to.equal(true);
  });

  it('reaches names, attributes, errors, stacks and events of spans', () => {
    const url = 'redis://u:s3cret@h';
    const shown = JSON.stringify(safeSpan(span(1, {
      name: url, attributes: { url, password: 's3cret', list: [url] }, error: { type: 'E', message: url, stack: `E: ${url}\n at x` }, events: [{ name: url, time: 0, attributes: { 'x.token': 's3cret' } }],
    })));
    expect(shown).to.contain('redis://[redacted]@h');
    expect(shown).to.not.contain('s3cret');
  });

  it('gives back the very objects that have no secret in them', () => {
    const attributes = { a: 'x', b: ['y'], n: 1 };
    expect(safeAttributes(attributes)).to.equal(attributes);
    const record = { timestamp: '', level: 'info', message: 'm', traceId: '', spanId: '', service: '', stepName: '', fields: { a: [1, { b: 'x' }] } } as const;
    expect(safeLog(record)).to.equal(record);
    expect(safeLog({ ...record, fields: { deep: [{ url: 'a://u:p@h' }], password: 'x', tokens: 3 } }).fields).to.deep.equal({ deep: [{ url: 'a://[redacted]@h' }], password: '[redacted]', tokens: 3 });
  });

  it('cuts what is long', () => {
    expect(safeText('x'.repeat(100_000))).to.have.length.below(8300);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, at]));
    expect(Object.keys(safeAttributes(many))).to.have.length(128);
  });
});
