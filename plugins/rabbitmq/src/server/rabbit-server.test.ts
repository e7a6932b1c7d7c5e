import { expect } from 'chai';
import { dueIn } from './rabbit-server.js';

describe('word between engines on RabbitMQ', () => {
  it('names subscriptions to the others, and nothing to the one that sent it', () => {
    const text = JSON.stringify({ from: 'a', due: [JSON.stringify(['step', 'topic'])] });
    expect(dueIn(text, 'b')).to.deep.equal([{ step: 'step', topic: 'topic' }]);
    expect(dueIn(text, 'a')).to.deep.equal([]);
  });

  it('of somebody else is passed over', () => {
    for (const text of ['', 'hello', 'null', '{}', '{"from":"a","due":["x"]}', '{"from":"a","due":1}', '{"from":"a","due":["[null,1]","[]"]}']) expect(dueIn(text, 'b'), text).to.deep.equal([]);
  });
});
