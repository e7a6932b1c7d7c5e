import type { StreamAdapter, StreamEvent } from '@treadle/api';
import { eventually, type RunningAdapter } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { query } from '../testing/server.fixture.js';

const GROUP = { stream: 's', groupId: 'g' };

withServer.describe('a replica of PostgreSQL that has taken over without the last events', () => {
  let engine: RunningAdapter<StreamAdapter>;
  let cleanup: () => Promise<void>;
  let sql: (text: string) => Promise<unknown>;
  let told: StreamEvent[];
  let epochs: string[];
  const write = (id: string): Promise<unknown> => engine.adapter.write({ ...GROUP, id, next: () => ({ action: 'set', value: id }) });
  const next = (): Promise<string> => eventually('another epoch', () => epochs[0], Boolean, 60_000) as Promise<string>;

  beforeEach(async () => {
    const fresh = await freshConfig();
    ({ cleanup } = fresh);
    sql = (text) => query(fresh.config.url ?? '', text.replaceAll('@', `${fresh.config.schema}.`));
    engine = await startEngine<StreamAdapter>('stream', fresh.config);
    [told, epochs] = [[], []];
    engine.adapter.watch((event) => told.push(event));
    await engine.adapter.shared?.follow(GROUP, (epoch) => void epochs.push(epoch));
    for (const id of ['a', 'b', 'c', 'd', 'e']) await write(id);
  });

  afterEach(async () => {
    await engine.stop();
    await cleanup();
  });

  withServer.it('has followers begin again where it has come to', async () => {
    const { epoch } = (await engine.adapter.snapshot(GROUP)).position;
    await sql('UPDATE @stream_groups SET seq = 3');
    await sql('DELETE FROM @stream_events WHERE seq > 3');
    await sql("DELETE FROM @stream_items WHERE item IN ('d', 'e')");
    await write('f');
    const now = await next();
    expect(now).to.not.equal(epoch);
    expect((await engine.adapter.snapshot(GROUP)).position).to.deep.equal({ epoch: now, seq: 4 });
    expect(await engine.adapter.shared?.eventsAfter(GROUP, { epoch, seq: 3 }, 10)).to.equal(undefined);
  });

  withServer.it('has them begin again by its timeline, whatever was written there since', async () => {
    const { epoch } = (await engine.adapter.snapshot(GROUP)).position;
    const before = told.length;
    await sql(`CREATE OR REPLACE FUNCTION @stream_epoch() RETURNS text LANGUAGE sql AS $$ SELECT 'of another timeline' $$`);
    expect(await next()).to.equal('of another timeline').and.not.equal(epoch);
    await write('f');
    await eventually('the next event', () => told.length, (length) => length > before, 60_000);
    expect(told.slice(before).map(({ epoch: of, seq, id }) => [of, seq, id])).to.deep.equal([['of another timeline', 6, 'f']]);
  });

  withServer.it('follows a group whose number it has given to nobody', async () => {
    const { epoch } = (await engine.adapter.snapshot(GROUP)).position;
    for (const table of ['groups', 'events', 'items']) await sql(`DELETE FROM @stream_${table}`);
    await write('f');
    expect(await next()).to.not.equal(epoch);
    await write('g');
    await eventually('the next event', () => told.at(-1)?.id, (id) => id === 'g', 60_000);
  });
});
