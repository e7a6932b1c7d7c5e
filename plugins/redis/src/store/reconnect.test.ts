import type { CronAdapter } from '@treadle/api';
import { eventually } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { ask } from '../testing/server.fixture.js';
import { sharedServer } from '../testing/shared-server.fixture.js';

withServer.describe('an engine that has its connection to Redis again', () => {
  withServer.it('looks at what others may have told, also when the server does not serve it at first', async () => {
    const server = await sharedServer();
    const { config, cleanup } = await freshConfig();
    const base = `{${config.prefix}}:`;
    const { adapter: cron, stop } = await startEngine<CronAdapter>('cron', config);
    const listeners = async (): Promise<number> => Number((await ask(server, 'PUBSUB', 'NUMSUB', `${base}n:cron`) as unknown[])[1]);
    let told = 0;
    cron.shared?.onSchedules(() => { told += 1; });
    // Scripts that look for members find something else.
    await ask(server, 'RENAME', `${base}members`, `${base}aside`);
    await ask(server, 'SET', `${base}members`, 'as planned');
    await ask(server, 'CLIENT', 'KILL', 'TYPE', 'pubsub');
    await eventually('its end', listeners, (count) => count === 0, 60_000);
    await eventually('another connection', listeners, (count) => count === 1, 60_000);
    expect(told).to.equal(0);
    await ask(server, 'RENAME', `${base}aside`, `${base}members`);
    await eventually('a look', () => told, Boolean, 60_000);
    await stop();
    await cleanup();
  });
});
