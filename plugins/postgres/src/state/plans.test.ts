import type { StateAdapter } from '@treadle/api';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import type { PostgresConfig } from '../store/store.config.js';
import { query } from '../testing/server.fixture.js';

const KEYS = 3_000;
const WRITES = 200;
/** What indexes have given so far, of the entries. */
const READ = "SELECT coalesce(sum(idx_tup_read), 0)::integer AS read FROM pg_stat_all_indexes WHERE schemaname = $1 AND relname = 'state_entries'";

withServer.describe('plans of state', () => {
  withServer.it('find each key by itself', async () => {
    const { config, cleanup } = await freshConfig();
    const { url = '', schema } = config;
    const read = async (): Promise<number> => (await query<{ read: number }>(url, READ, [schema]))[0]?.read ?? 0;
    await write(config, KEYS);
    await query(url, `VACUUM (ANALYZE) ${schema}.state_entries`);
    const before = await read();
    await write(config, WRITES);
    const after = await read();
    await cleanup();
    expect(after - before).to.be.within(WRITES, WRITES * 10);
  });
});

/** An engine that stops has told the server's statistics what it read. */
async function write(config: PostgresConfig, count: number): Promise<void> {
  const { adapter, stop } = await startEngine<StateAdapter>('state', config);
  const store = (value: string) => ({ action: 'set', value } as const);
  for (let key = 0; key < count; key += 1) await adapter.write({ group: 'g', key: `key-${key}`, next: () => store('1'), recordChange: false });
  await stop();
}
