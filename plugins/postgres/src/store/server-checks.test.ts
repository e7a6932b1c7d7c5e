import { createServer, type Server } from 'node:net';
import { errorOf } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { query, startPostgres } from '../testing/server.fixture.js';
import { serverUrl } from '../testing/shared-server.fixture.js';
import { MIGRATIONS } from './schema.js';
import { POSTGRES_DEFAULTS } from './store.config.js';

withServer.describe('the checks of a server', () => {
  withServer.it('refuse tables that a newer version has written', async () => {
    const { config, cleanup } = await freshConfig('INSERT INTO store_versions (version) VALUES (99)');
    const error = await errorOf(startEngine('queue', config));
    expect([error.code, error.message]).to.deep.equal(['STORE_NEWER',
      `PostgreSQL ${new URL(config.url ?? '').host}/postgres, schema ${config.schema} was written by a newer version: its tables have version 99; ${MIGRATIONS.length} is the newest known here`]);
    await cleanup();
  });

  withServer.it('put the functions of the queue in the place of former ones, and leave those of others', async () => {
    const { config, cleanup } = await freshConfig('DELETE FROM store_versions WHERE version > 3; DROP FUNCTION queue_renew; CREATE FUNCTION queue_of_others() RETURNS void LANGUAGE sql AS $$ $$');
    await (await startEngine('queue', config)).stop();
    const rows = await query<{ name: string }>(config.url ?? '', "SELECT proname AS name FROM pg_proc WHERE pronamespace = $1::regnamespace AND proname IN ('queue_renew', 'queue_of_others') ORDER BY 1", [config.schema]);
    expect(rows.map(({ name }) => name)).to.deep.equal(['queue_of_others', 'queue_renew']);
    await cleanup();
  });

  withServer.it('let one of several engines that start at once make the tables', async () => {
    const config = { ...POSTGRES_DEFAULTS, url: await serverUrl(), schema: `many_${process.pid}` };
    const engines = await Promise.all([1, 2, 3, 4].map(() => startEngine('queue', config)));
    await Promise.all(engines.map((engine) => engine.stop()));
    await query(config.url, `DROP SCHEMA ${config.schema} CASCADE`);
  });

  withServer.it('name a database that is not there, a wrong user, and a server that does not listen', async () => {
    const url = new URL(await serverUrl());
    const start = (change: (to: URL) => void): Promise<Error & { code?: string; hint?: string }> => {
      const to = new URL(url);
      change(to);
      return errorOf(startEngine('queue', { ...POSTGRES_DEFAULTS, url: String(to) }));
    };
    const missing = await start((to) => { to.pathname = '/nowhere'; });
    expect([missing.code, missing.message, missing.hint]).to.deep.equal(['SERVICE_UNAVAILABLE',
      `PostgreSQL ${url.host}/nowhere cannot be used: there is no such database`, 'create it with "createdb", or name another one']);
    expect(await start((to) => { to.username = 'nobody'; })).to.have.property('hint', 'set user and password, e.g. password: ${PGPASSWORD}');
    expect((await start((to) => { to.port = '1'; })).message).to.match(/ECONNREFUSED/);
  });

  withServer.it('refuse a database that is read-only', async () => {
    const url = await serverUrl();
    await query(url, 'CREATE DATABASE replica');
    await query(url, 'ALTER DATABASE replica SET default_transaction_read_only = on');
    const error = await errorOf(startEngine('queue', { ...POSTGRES_DEFAULTS, url: String(Object.assign(new URL(url), { pathname: '/replica' })) }));
    expect(error.message).to.match(/it is read-only, as a replica is$/);
    expect(error.hint).to.equal('name the primary server');
  });

  withServer.it('refuse a weak server where durability is strict, and say in health that it is where it is not', async () => {
    const server = await startPostgres(['synchronous_commit=off', 'fsync=off']);
    const config = { ...POSTGRES_DEFAULTS, url: server.url };
    expect((await errorOf(startEngine('queue', { ...config, durability: 'strict' }))).message).to.match(
      /it may lose what it has acknowledged: synchronous_commit is off, fsync is off$/);
    await (await startEngine('queue', config)).stop();
    await server.stop();
  });

  withServer.it('refuse a pooler, which tells another process than the server has', async () => {
    const pooler = await startPooler(new URL(await serverUrl()));
    const { port } = pooler.address() as { readonly port: number };
    const url = String(Object.assign(new URL(await serverUrl()), { port: String(port) }));
    const error = await errorOf(startEngine('queue', { ...POSTGRES_DEFAULTS, url }));
    expect(error.message).to.match(/there is a connection pooler in between, such as PgBouncer/);
    pooler.close();
  });
});

/** Hands connections on, with a process number of its own: the type byte, four of length, four of the process. */
async function startPooler(to: URL): Promise<Server> {
  const { connect } = await import('node:net');
  const pooler = createServer((client) => {
    const server = connect(Number(to.port), to.hostname);
    client.pipe(server);
    server.on('data', (data) => {
      const at = data.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
      if (at >= 0) data.writeInt32BE(1, at + 5);
      client.write(data);
    });
    for (const socket of [client, server]) {
      socket.on('error', () => undefined).on('close', () => {
        client.destroy();
        server.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
  return pooler;
}
