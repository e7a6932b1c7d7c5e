import { expect } from 'chai';
import fc from 'fast-check';
import { isNumber, readJson, readLongJson, writeJson } from '../../console/app/src/api/json.js';

const digits = (most: number): fc.Arbitrary<string> => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: most });
/** Numbers as JSON may hold them. */
const numberText = fc.tuple(fc.constantFrom('', '-'), digits(20), fc.option(digits(20)), fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), digits(2)))).map(
  ([sign, whole, fraction, exponent]) => `${sign}${whole.replace(/^0+(?=\d)/, '')}${fraction === null ? '' : `.${fraction}`}${exponent?.join('') ?? ''}`);

describe('numbers on the page of the console', () => {
  it('are read and written digit for digit, wherever they stand', () => {
    fc.assert(fc.property(numberText, fc.constantFrom('', ' ', '\n  '), (text, space) => {
      for (const json of [text, `[${space}${text}]`, `[1,${space}${text}]`, `{"a":${space}${text}}`, `{"id":"a,1e5","a":${space}${text}}`]) {
        expect(writeJson(readJson(json))).to.equal(json.replaceAll(/\s/g, ''));
      }
    }), { numRuns: 3_000, seed: 4 });
  });

  it('are plain ones where nothing is lost, whatever the texts beside them hold', () => {
    const value = readJson('{"id":"00e1","trace":"1234567890123456789","at":1732412000123.456,"n":-7}') as Readonly<Record<string, unknown>>;
    expect([typeof value['at'], typeof value['n']]).to.deep.equal(['number', 'number']);
    expect(isNumber(readJson('9007199254740993'))).to.equal(true);
    expect(typeof readJson('9007199254740993')).to.equal('object');
  });

  it('are the same in a long answer, which is read while the page goes on', async () => {
    const rows = (number: string): string => `[${Array.from({ length: 100_000 }, (_, at) => `{"n":${at},"at":${number}}`).join(',')}]`;
    for (const number of ['1732412000123.456', '9007199254740993']) {
      let others = 0;
      // Before the one that the reading waits for: timers go off in the order in which they were set.
      setTimeout(() => others += 1, 0);
      expect(writeJson(await readLongJson(rows(number)))).to.equal(rows(number));
      expect(others).to.equal(1);
    }
    let refused: unknown;
    await readLongJson('[').catch((error: unknown) => refused = error);
    expect(refused).to.be.instanceOf(SyntaxError);
  });
});
