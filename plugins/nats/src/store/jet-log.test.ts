import type { Logger } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, withServer } from '../testing/kit.fixture.js';
import { NatsStore } from './nats-store.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as Logger;

withServer.describe('a stream of JetStream as a log', () => {
  withServer.it('removes what lies before a message and leaves that, also the first of all', async () => {
    const { config, cleanup } = await freshConfig();
    const store = await NatsStore.open({ config, clock: fakeClock(Date.now()), log: silent, engine: 'e1' });
    try {
      const log = await store.log('state', 's');
      const subject = `${store.prefix}.s.a`;
      const seqs = [await log.append(subject, { text: 'first' }), await log.append(subject, { text: 'second' })];
      expect(seqs).to.deep.equal([1, 2]);
      await log.purge(subject, 1);
      expect((await log.at(1))?.text).to.equal('first');
      await log.purge(subject, 2);
      expect([await log.at(1), (await log.at(2))?.text]).to.deep.equal([undefined, 'second']);
    } finally {
      await store.close();
      await cleanup();
    }
  });
});
