import type { ServerProcess } from '@treadle/testing';
import { query, startPostgres } from '../../../../plugins/postgres/src/testing/server.fixture.js';
import { type Contestant, startPeer } from '../../blocks/src/contestant-process.js';
import type { ItemOptions, ItemResult } from '../../blocks/src/item.js';
import { type Adapters, startBlocks } from '../../blocks/src/treadle-blocks.js';
import { measure } from './measurement.js';
import { filled, operationsMeasurement } from './operations-measurement.js';
import { queueMeasurement, together } from './queue-measurement.js';

/** Of the server; the rest is as it comes. */
export const POSTGRES_SETTINGS = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'];
const BACKLOG = 300_000;

/** Ours over a database. */
export function postgresAdapters(url: string): Adapters & Required<Pick<Adapters, 'queue'>> {
  const config = { url };
  return {
    plugins: ['@treadle/postgres'], queue: { class: 'modules::queue::adapters::Postgres', config }, state: { class: 'modules::state::adapters::Postgres', config },
  };
}

/** Queue and state against raw `pg` and the queues that others have on PostgreSQL; two engines against one; a backlog. */
export async function postgresItem(options: ItemOptions): Promise<readonly ItemResult[]> {
  const server = await startPostgres(POSTGRES_SETTINGS);
  const ours = async (database: string): Promise<Contestant> => startBlocks({ backend: postgresAdapters(await databaseOf(server, database)) });
  const peer = async (script: string, database: string): Promise<Contestant> => startPeer(script, await databaseOf(server, database));
  try {
    return [
      await measure(queueMeasurement('PostgreSQL, queue', [
        { id: 'ours', name: 'Treadle, ctx.enqueue', start: () => ours('queue') },
        { id: 'raw', name: 'raw pg, the same batches', start: () => peer('postgres-queue.mjs', 'raw_queue') },
        { id: 'pg-boss', name: 'pg-boss, insert per turn', start: () => peer('pg-boss.mjs', 'pg_boss') },
        { id: 'graphile', name: 'graphile-worker, addJobs per turn', start: () => peer('graphile-worker.mjs', 'graphile') },
      ], [
        {
          what: 'PostgreSQL queue, against raw pg, or its rate', side: 'ours', figure: 'perSecond', against: 'raw', atLeast: 0.5,
          or: { side: 'ours', figure: 'perSecond', atLeast: 20_000 },
        },
        { what: 'PostgreSQL queue, against pg-boss', side: 'ours', figure: 'perSecond', against: 'pg-boss', atLeast: 2 },
        { what: 'PostgreSQL queue, against graphile-worker', side: 'ours', figure: 'perSecond', against: 'graphile', atLeast: 1 },
      ]), options),
      await measure(queueMeasurement('PostgreSQL, two engines', [
        { id: 'one', name: 'one engine', start: async () => together([await ours('one')]) },
        { id: 'two', name: 'two engines, half the producers each', start: async () => together([await ours('two'), await ours('two')]) },
      ], [{ what: 'PostgreSQL queue, two engines against one', side: 'two', figure: 'perSecond', against: 'one', atLeast: 1 }]), options),
      await measure(queueMeasurement('PostgreSQL, a backlog', [
        { id: 'empty', name: 'nothing waits', start: () => ours('empty') },
        { id: 'backlog', name: '300,000 messages wait for another Step', start: () => withBacklog(ours('backlog')) },
      ], [
        { what: 'PostgreSQL queue, 300,000 wait, rate against none', side: 'backlog', figure: 'perSecond', against: 'empty', atLeast: 0.9 },
        { what: 'the same, processor time of a message, none against 300,000', side: 'backlog', figure: 'cpuAll', against: 'empty', inverse: true, atLeast: 0.9 },
      ]), options),
      await measure(operationsMeasurement('PostgreSQL, state', ['get', 'set'], [
        { id: 'ours', name: 'Treadle, ctx.state', start: () => filled(ours('state')) },
        { id: 'raw', name: 'raw pg, 5 connections', start: () => peer('postgres-state.mjs', 'raw_state') },
      ], [{ what: 'PostgreSQL state.get, against raw pg', side: 'ours', figure: 'get', against: 'raw', atLeast: 0.8 }]), options),
    ];
  } finally {
    await server.stop();
  }
}

/** One that nobody else has: what the server clears up waits for all transactions in the same database, those of its own upkeep for others among them. */
async function databaseOf({ url }: ServerProcess, name: string): Promise<string> {
  const found = await query(url, 'SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (found.length === 0) await query(url, `CREATE DATABASE ${name}`);
  return url.replace(/\/postgres$/, `/${name}`);
}

async function withBacklog(starting: Promise<Contestant>): Promise<Contestant> {
  const contestant = await starting;
  await contestant.run('backlog', { messages: BACKLOG });
  return contestant;
}
