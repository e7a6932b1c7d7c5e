import type { NewMessage } from '@treadle/api';
import { expect } from 'chai';
import { decode, encode, PROPERTIES } from './carried-message.js';
import type { Foreign } from './foreign-messages.js';

const MESSAGE: NewMessage = {
  id: 'm1', topic: 't', kind: 'queue', data: '{"n":"a\\nb"}', headers: '{"h":1}', traceparent: 'p', hops: 2, enqueuedAt: 1_790_000_000_000, groupId: '\ud800',
};

function pushed(body: string, properties: object): Foreign {
  return { content: Buffer.from(body), properties: properties as Foreign['properties'] };
}

describe('a message on RabbitMQ', () => {
  it('is read as it was written', () => {
    const { id: messageId, topic: _topic, ...rest } = MESSAGE;
    expect(decode({ content: encode(MESSAGE), properties: PROPERTIES as Foreign['properties'] })).to.deep.equal({ messageId, ...rest });
  });

  it('is read as the versions before wrote it', () => {
    const { id: messageId, topic: _topic, data, ...rest } = MESSAGE;
    const former = pushed(data, { messageId, contentType: 'application/json', headers: { treadle: JSON.stringify(rest) } });
    expect(decode(former)).to.deep.equal({ messageId, data, ...rest });
  });

  it('is none of Treadle when it lacks what these have, whatever it says', () => {
    const head = JSON.stringify({ id: 'm1', kind: 'queue', enqueuedAt: 1 });
    expect(decode(pushed(`${head}\n{}`, { type: 'treadle' })), 'the least').to.include({ messageId: 'm1' });
    for (const body of ['', 'hello', '{', 'null\n{}', '1\n{}', '{}\n{}', '{"id":1,"kind":"queue","enqueuedAt":1}\n{}', head]) {
      expect(decode(pushed(body, { type: 'treadle' })), body).to.equal(undefined);
    }
    for (const odd of [{ traceparent: 5 }, { traceparent: null }, { headers: {} }, { hops: '1' }, { groupId: [] }]) {
      const body = `${JSON.stringify({ id: 'm1', kind: 'queue', enqueuedAt: 1, ...odd })}\n{}`;
      expect(decode(pushed(body, { type: 'treadle' })), body).to.equal(undefined);
    }
    for (const properties of [{}, { type: 'x' }, { headers: { treadle: 1 } }, { headers: { treadle: '{' } }, { headers: { treadle: '{}' }, messageId: 'm1' }, { headers: { treadle: head } }]) {
      expect(decode(pushed(`${head}\n{}`, properties)), JSON.stringify(properties)).to.equal(undefined);
    }
  });
});
