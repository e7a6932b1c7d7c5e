import { expect } from 'chai';
import { parseFrame } from './frame.js';

describe('parseFrame', () => {
  it('gives the messages of a frame in order', () => {
    expect(parseFrame('[{"type":"ping"},{"type":"pong"}]')).to.deep.equal([{ type: 'ping' }, { type: 'pong' }]);
  });

  for (const text of ['', 'x', '{"type":"ping"}', '[]', '[1]', '[null]', '[[]]', '[{"type":1}]', '[{"type":"ping"},{}]']) {
    it(`refuses ${text || 'nothing'}`, () => {
      expect(parseFrame(text)).to.equal(undefined);
    });
  }
});
