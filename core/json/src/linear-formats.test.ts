import { createRequire } from 'node:module';
import { expect } from 'chai';
import fc from 'fast-check';
import { linearFormats } from './linear-formats.js';

type Test = (text: string) => boolean;

const { fullFormats } = createRequire(import.meta.url)('ajv-formats/dist/formats') as { fullFormats: Record<string, unknown> };
const ours = linearFormats(fullFormats);

/** A format of either kind as a function; undefined for those that hold numbers or nothing to a rule. */
function testOf(format: unknown): Test | undefined {
  if (format instanceof RegExp) return (text) => new RegExp(format).test(text);
  if (typeof format === 'function') return format as Test;
  const { type, validate } = Object(format) as { type?: string; validate?: unknown };
  return type === 'number' ? undefined : validate === undefined ? undefined : testOf(validate);
}

const piece = fc.constantFrom(
  'a', 'Z', '0', '9', '25', '1', '-', '.', '..', ':', '::', '/', '//', '@', '%41', '%', '{', '}', '~0', '~1', '~', '#', '?', '[', ']', ' ', '\n', 'T', 'Z', '+02:00', 'P', 'Y', '1Y', 'AAAA', '==', 'é', '😀', ',', '*',
  'http://', 'ftp://', 'example.com', '127.0.0.1', '2020-01-01', '10:20:30', '.5', 'urn:uuid:', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'fe80', 'a'.repeat(64), '0.'.repeat(40), 'a.'.repeat(40),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

describe('linearFormats', () => {
  for (const [name, format] of Object.entries(fullFormats)) {
    const theirs = testOf(format);
    if (!theirs) continue;
    it(`judges ${name} as ajv-formats does`, () => {
      const mine = testOf(ours[name]) as Test;
      fc.assert(fc.property(text, (candidate) => {
        expect(mine(candidate), JSON.stringify(candidate)).to.equal(theirs(candidate));
      }), { numRuns: Number(process.env['TREADLE_FUZZ_RUNS'] ?? 400) });
    });
  }

  for (const [name, unit] of Object.entries({ byte: 'QUJD', 'json-pointer': '/a~0', 'uri-template': '/{a}', 'uri-reference': 'a/%41', uri: 'urn:a/%41' })) {
    it(`judges a long ${name} as ajv-formats does`, () => {
      const theirs = testOf(fullFormats[name]) as Test;
      const mine = testOf(ours[name]) as Test;
      const long = unit.repeat(30_000);
      for (const candidate of [long, `${long} `, `${long}~`, `${long}{`, `${long}==`, `${long}A=`, `${long}\n`, ` ${long}`]) {
        expect(mine(candidate), `${candidate.slice(0, 9)}…${candidate.slice(-4)}`).to.equal(theirs(candidate));
      }
    });
  }

  it('compiles no long text as a regular expression', () => {
    const regex = ours['regex'] as Test;
    expect(regex('a'.repeat(10_000))).to.equal(true);
    expect(regex('a'.repeat(10_001))).to.equal(false);
  });
});
