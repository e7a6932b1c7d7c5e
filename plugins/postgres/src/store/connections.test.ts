import { expect } from 'chai';
import { errorOf } from '@treadle/testing';
import { freshConfig, withServer } from '../testing/kit.fixture.js';
import { query } from '../testing/server.fixture.js';
import { Connections } from './connections.js';

withServer.describe('connections to PostgreSQL', () => {
  withServer.it('survive the loss of one between two statements of a transaction', async () => {
    const { config, cleanup } = await freshConfig();
    const failures: unknown[] = [];
    const connections = new Connections(config, (failure) => failures.push(failure));
    const lost = await errorOf(connections.transaction(async (queries) => {
      const [row] = await queries.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await query(config.url ?? '', 'SELECT pg_terminate_backend($1, 10000)', [row?.pid]);
      await queries.rows('SELECT 1');
    }));
    expect(lost.code).to.equal('StorageUnavailable');
    expect(failures).to.have.length(1);
    expect(await connections.rows('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    await connections.close();
    await cleanup();
  });

  withServer.it('let go of what a transaction holds whose engine does nothing any more', async () => {
    const { config, cleanup } = await freshConfig();
    const [frozen, other] = [new Connections(config, () => undefined), new Connections(config, () => undefined)];
    const lock = 'SELECT pg_advisory_xact_lock(store_key(), 1)';
    let thaw = (): void => undefined;
    const standstill = new Promise<void>((resolve) => { thaw = resolve; });
    let locked = (): void => undefined;
    const begun = new Promise<void>((resolve) => { locked = resolve; });
    const late = errorOf(frozen.transaction(async (queries) => {
      await queries.rows(lock);
      locked();
      await standstill;
    }));
    await begun;
    await other.rows(lock);
    thaw();
    expect((await late).code).to.equal('StorageUnavailable');
    for (const each of [frozen, other]) await each.close();
    await cleanup();
  });

  withServer.it('have the server look whether the engine is still there', async () => {
    const { config, cleanup } = await freshConfig();
    const connections = new Connections(config, () => undefined);
    const settings = "SELECT current_setting('tcp_keepalives_idle') AS idle, current_setting('tcp_keepalives_interval') AS apart, current_setting('tcp_keepalives_count') AS count";
    expect(await connections.rows(settings)).to.deep.equal([{ idle: '3', apart: '1', count: '3' }]);
    await connections.close();
    await cleanup();
  });
});
