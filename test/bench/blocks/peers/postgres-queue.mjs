// A queue by pg alone, with the batches and the durability of our adapter: what comes while an insert is under way goes with the next one, claims are not
// synced to the disk, what is handled is deleted in batches that are.
import pg from 'pg';
import { batching, Meter, pause, serveQueue } from './jobs.mjs';

const [MOST, CLAIMED] = [2000, 500];
const pool = new pg.Pool({ connectionString: process.argv[2], max: 5, idleTimeoutMillis: 0 });
await pool.query(`
  CREATE TABLE raw_queue (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, claimed boolean NOT NULL DEFAULT false, data text NOT NULL)
    WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
  CREATE INDEX raw_ready ON raw_queue (id) WHERE NOT claimed`);
const claimer = new pg.Client({ connectionString: process.argv[2] });
await claimer.connect();
await claimer.query('SET synchronous_commit = off');

const INSERT = 'INSERT INTO raw_queue (data) SELECT unnest($1::text[])';
const CLAIM = `UPDATE raw_queue SET claimed = true
  WHERE id = ANY (ARRAY(SELECT id FROM raw_queue WHERE NOT claimed ORDER BY id LIMIT ${CLAIMED} FOR UPDATE SKIP LOCKED)) RETURNING id, data`;
const DELETE = 'DELETE FROM raw_queue WHERE id = ANY ($1::bigint[])';
const insert = batching(MOST, async (messages) => {
  await pool.query({ name: 'insert', text: INSERT, values: [messages.map((message) => JSON.stringify(message))] });
  return messages;
});
const settle = batching(MOST, async (ids) => {
  await pool.query({ name: 'delete', text: DELETE, values: [ids] });
  return ids;
});

const meter = new Meter();
async function consume() {
  for (;;) {
    const { rows } = await claimer.query({ name: 'claim', text: CLAIM });
    for (const { id, data } of rows) {
      meter.handled(JSON.parse(data));
      void settle(id);
    }
    if (rows.length === 0) await pause(1);
  }
}

void consume();
serveQueue(insert, meter);
