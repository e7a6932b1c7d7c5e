import type { StreamAdapter } from '@treadle/api';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { ask } from '../testing/server.fixture.js';
import { sharedServer } from '../testing/shared-server.fixture.js';

const GROUP = { stream: 's', groupId: 'g' };
const NAME = 's\0g';

withServer.describe('groups with many and with large items', () => {
  withServer.it('are read whole at one position, portion by portion, while they are written', async () => {
    const { config, cleanup } = await freshConfig();
    const { adapter, stop } = await startEngine<StreamAdapter>('stream', config);
    const set = (id: string, value: string | number): Promise<unknown> => adapter.write({ ...GROUP, id, next: () => ({ action: 'set', value }) });
    try {
      await Promise.all(Array.from({ length: 600 }, (_, index) => set(`i${index}`, 0)));
      await Promise.all(Array.from({ length: 5 }, (_, index) => set(`large ${index}`, 'x'.repeat(900_000))));
      expect((await adapter.snapshot(GROUP)).items).to.have.length(605);
      let writing = true;
      const writer = (async () => {
        for (let count = 1; writing; count += 1) await Promise.all([set('i0', count), set('i599', count)]);
      })();
      for (let round = 0; round < 2; round += 1) {
        const { items, position } = await adapter.snapshot(GROUP);
        const [first, last] = ['i0', 'i599'].map((id) => Number(items.find((item) => item.id === id)?.value));
        expect([items.length, first! - last!]).to.satisfy(([length, apart]: number[]) => length === 605 && Math.abs(apart!) <= 1, `at ${position.seq}`);
      }
      writing = false;
      await writer;
    } finally {
      await stop();
      await cleanup();
    }
  });

  withServer.it('keep no more of their events than 1,000, and no more than some bytes', async () => {
    const { config, cleanup } = await freshConfig();
    const { adapter, stop } = await startEngine<StreamAdapter>('stream', config);
    const server = await sharedServer();
    const kept = async (): Promise<number> => Number(await ask(server, 'XLEN', `{${config.prefix}}:t:e:${NAME}`));
    try {
      await Promise.all(Array.from({ length: 1_300 }, (_, index) => adapter.send(GROUP, { type: 'e', data: index })));
      expect(await kept()).to.equal(1_000);
      for (let round = 0; round < 9; round += 1) await adapter.send(GROUP, { type: 'large', data: 'x'.repeat(2_000_000) });
      expect(await kept()).to.be.within(5, 8);
      const { position } = await adapter.snapshot(GROUP);
      expect(await adapter.shared?.eventsAfter(GROUP, { ...position, seq: position.seq - 5 }, 100), 'more than one portion').to.have.length(5);
      expect(await adapter.shared?.eventsAfter(GROUP, { ...position, seq: position.seq - 9 }, 100), 'what is gone').to.equal(undefined);
      expect(Number(await ask(server, 'PTTL', `{${config.prefix}}:t:e:${NAME}`))).to.be.within(1, 300_000);
    } finally {
      await stop();
      await cleanup();
    }
  });
});
