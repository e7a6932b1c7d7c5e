import { expect } from 'chai';
import { nearestWord } from './nearest-word.js';

describe('nearestWord', () => {
  for (const [word, candidates, expected] of [
    ['htpp', ['queue', 'http'], 'http'],
    ['metod', ['method', 'path'], 'method'],
    ['PATH', ['method', 'path'], 'path'],
    ['x', ['method', 'path'], undefined],
    ['bodySchem', ['querySchema', 'bodySchema'], 'bodySchema'],
    ['', ['abc'], undefined],
    ['abc', [], undefined],
  ] as const) {
    it(`takes ${String(expected)} for "${word}"`, () => expect(nearestWord(word, candidates)).to.equal(expected));
  }
});
