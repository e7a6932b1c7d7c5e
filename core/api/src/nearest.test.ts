import { expect } from 'chai';
import { nearest } from './index.js';

describe('nearest', () => {
  const cases: readonly [string, readonly string[], string | undefined][] = [
    ['hosst', ['port', 'host'], 'host'],
    ['modules::stream::StreamModul', ['modules::http::HttpModule', 'modules::stream::StreamModule'], 'modules::stream::StreamModule'],
    ['prot', ['port'], 'port'],
    ['PORT', ['port'], 'port'],
    ['x', ['y'], 'y'],
    ['xy', ['ab'], undefined],
    ['host', ['xxxxhost'], undefined],
    ['host', [], undefined],
    ['', ['a'], 'a'],
    ['conf', ['class', 'config'], 'config'],
    ['configuration', ['class', 'config'], 'config'],
    ['drain', ['drain_delay_ms', 'drain_timeout_ms'], undefined],
    ['co', ['config'], undefined],
    ['hots', ['host', 'hosts'], 'host'],
    ['a'.repeat(101), ['a'.repeat(101)], undefined],
  ];
  for (const [word, candidates, expected] of cases) {
    it(`finds ${expected ?? 'nothing'} for "${word.slice(0, 30)}" among ${candidates.length}`, () => {
      expect(nearest(word, candidates)).to.equal(expected);
    });
  }
});
