import type { CronAdapter } from '@treadle/api';
import { eventually } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { Connections } from './connections.js';

/** Sessions that engines have of the schema: all of them hold its lock. */
const SESSIONS = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid::bigint = (store_key() # 3)::bigint & 4294967295";
const BEATS = "SELECT pg_get_functiondef('member_beat(bigint, bigint)'::regprocedure) AS text";
const NO_BEATS = `CREATE OR REPLACE FUNCTION member_beat(p_member bigint, p_outage bigint) RETURNS TABLE (now bigint, back_at bigint, member bigint, beat bigint, seen_at bigint) LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'as planned'; END $$`;

withServer.describe('an engine that has its connection to PostgreSQL again', () => {
  withServer.it('looks at what others may have told, also when the server does not serve it at first', async () => {
    const { config, cleanup } = await freshConfig();
    const { adapter: cron, stop } = await startEngine<CronAdapter>('cron', config);
    const schema = new Connections({ ...config, pool_size: 1 }, () => undefined);
    const sessions = async (): Promise<readonly unknown[]> => (await schema.rows(SESSIONS)).map(({ pid }) => pid);
    const [{ text = '' } = {}] = await schema.rows<{ text: string }>(BEATS);
    let told = 0;
    cron.shared?.onSchedules(() => { told += 1; });
    await schema.rows(NO_BEATS);
    const [before] = await sessions();
    await schema.rows('SELECT pg_terminate_backend($1)', [before]);
    await eventually('another session', sessions, ([pid]) => pid !== undefined && pid !== before, 60_000);
    expect(told).to.equal(0);
    await schema.rows(text);
    await eventually('a look', () => told, Boolean, 60_000);
    await stop();
    await schema.close();
    await cleanup();
  });
});
