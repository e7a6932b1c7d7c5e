import type { EngineMessage } from '@treadle/protocol';
import { expect } from 'chai';
import { Inbox } from './inbox.js';

const invoke = (id: number, type: string): EngineMessage =>
  ({ type: 'invoke', id, step: 'A', trigger: { type, index: 0 }, input: {}, traceparent: '', timeoutMs: 1, attempt: 1 });

describe('Inbox', () => {
  let seen: string[];
  let inbox: Inbox;
  beforeEach(() => {
    seen = [];
    inbox = new Inbox((message) => {
      const name = 'id' in message ? `${message.id}` : message.type;
      seen.push(name);
      void (async () => undefined)().then(() => seen.push(`${name} over`));
    });
  });
  const turn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

  it('lets a delivery that only computes end before the next message comes, over frames', async () => {
    inbox.add([invoke(1, 'queue'), invoke(2, 'cron')]);
    inbox.add([{ type: 'ping' }, invoke(3, 'state')]);
    inbox.add([invoke(4, 'queue')]);
    expect(seen).to.deep.equal(['1']);
    await turn();
    expect(seen).to.deep.equal(['1', '1 over', '2', '2 over', 'ping', '3', 'ping over', '3 over', '4', '4 over']);
    inbox.add([invoke(5, 'queue')]);
    expect(seen.at(-1)).to.equal('5');
  });

  it('hands on at once what is no delivery', () => {
    inbox.add([invoke(1, 'http'), { type: 'ping' }]);
    inbox.add([invoke(2, 'http')]);
    expect(seen).to.deep.equal(['1', 'ping', '2']);
  });
});
