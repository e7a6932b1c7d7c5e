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
});
