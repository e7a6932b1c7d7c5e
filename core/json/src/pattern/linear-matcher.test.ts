import { expect } from 'chai';
import fc from 'fast-check';
import { meter } from '../work-meter.js';
import { LinearMatcher } from './linear-matcher.js';
import { backtrackingLimit } from './pattern-cost.js';
import { parsePattern } from './pattern-parser.js';

function matcherOf(native: RegExp): LinearMatcher {
  const tree = parsePattern(native);
  const matcher = tree && LinearMatcher.of(tree);
  if (!matcher) throw new Error(`${String(native)} has no linear matcher`);
  return matcher;
}

const atom = fc.constantFrom('a', 'b', '.', '\\d', '\\w', '\\s', '[ab]', '[^a]', '[a-c0-9]', '\\W', '😀', '\\u{1F600}', '\\uD83D\\uDE00', '[\\uD83D\\uDE00x]', '\\n', '\\x61', '\\p{L}', '[\\p{Lu}\\d]', '\\P{L}', '-', '\\.', '\\b', '\\B', '^', '$', '');
const counts = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '{0,2}?');
const { source: sources } = fc.letrec<{ source: string; part: string }>((tie) => ({
  source: fc.array(fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')), { minLength: 1, maxLength: 3 }).map((options) => options.join('|')),
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(atom, counts).map(([text, count]) => (/^(?:\\[bB]|\^|\$|)$/.test(text) ? text : text + count)),
    fc.tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('source'), counts).map(([open, inner, count]) => `${open}${inner})${count}`),
    fc.tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('source')).map(([open, inner]) => `${open}${inner})`),
  ),
}));
const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A', '1', ' ', '-', '.', '\n', '_', '😀', 'é', '\ud83d', '\ude00', '\u2028'), maxLength: 8 });

/** Between the two halves of one character. */
const isInPair = (text: string, at: number): boolean => at > 0 && (text.codePointAt(at - 1) as number) > 0xffff;

const FILLER = 'ab-1 😀cA.'.repeat(8);

describe('LinearMatcher', () => {
  afterEach(() => {
    meter.left = Infinity;
  });

  it('answers as RegExp does for random patterns and texts', () => {
    fc.assert(fc.property(sources, fc.array(texts, { minLength: 1, maxLength: 5 }), (source, candidates) => {
      const native = compiled(source);
      const tree = native && parsePattern(native);
      const matcher = tree && LinearMatcher.of(tree);
      if (!native || !matcher) return;
      // Long texts are outlined first; of the random patterns many would keep RegExp busy with them for ever.
      const long = backtrackingLimit(tree) === Infinity;
      for (const text of candidates.flatMap((short) => (long ? [short, `${short}${FILLER}${short}`] : [short]))) {
        const found = native.exec(text);
        // V8 looks for matches there, the standard does not.
        if (native.unicode && found && isInPair(text, found.index)) continue;
        expect(matcher.test(text), `${String(native)} on ${JSON.stringify(text)}`).to.equal(found !== null);
      }
    }), { numRuns: Number(process.env['TREADLE_FUZZ_RUNS'] ?? 3_000) });
  });

  const explosive: readonly (readonly [RegExp, string])[] = [
    [/^(a+)+$/u, `${'a'.repeat(500_000)}!`], [/^(a|a)*$/u, `${'a'.repeat(500_000)}!`], [/x\s*y?\s+$/u, `x${' '.repeat(500_000)}!`],
    [/^(?=(a+)+$)(a|aa)+$/u, `${'a'.repeat(500_000)}!`], [/(?<!a*b)c$/u, 'a'.repeat(500_000)], [/^(\w+\s?)*$/u, `${'word '.repeat(100_000)}!`],
  ];
  for (const [native, text] of explosive) {
    it(`takes a linear number of steps for ${String(native)}`, () => {
      meter.left = 4_000_000;
      expect(matcherOf(native).test(text)).to.equal(false);
    });
  }

  it('gives up on a text that leads to ever new states, and holds on to few of them', () => {
    const matcher = matcherOf(/(a|b)*a(a|b){30}$/u);
    let bits = 1;
    const text = Array.from({ length: 300_000 }, () => ((bits = (bits * 1_103_515_245 + 12_345) % 2 ** 31) & 0x1000) === 0 ? 'a' : 'b').join('');
    meter.left = 4_000_000;
    expect(() => matcher.test(text)).to.throw('more than one value may');
    meter.left = 4_000_000;
    expect(matcher.test(`a${'b'.repeat(30)}`)).to.equal(true);
  });

  it('leaves what only backtracking can do', () => {
    for (const native of [/^(a)\1$/u, /^(?<n>a)\k<n>$/u, /^(?:(?:a{100}){100}){100}$/u]) {
      const tree = parsePattern(native);
      expect(tree && LinearMatcher.of(tree)).to.equal(undefined);
    }
  });
});

/** Undefined when the random text is no pattern, as with two groups of one name. */
function compiled(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}
