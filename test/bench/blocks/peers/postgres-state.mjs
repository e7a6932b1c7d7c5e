// PostgreSQL as a key-value store by pg alone: a prepared statement for each operation, over as many connections as our adapter has.
import pg from 'pg';
import { serveState, VALUE } from './jobs.mjs';

const pool = new pg.Pool({ connectionString: process.argv[2], max: 5, idleTimeoutMillis: 0 });
await pool.query('CREATE TABLE raw_state (key text PRIMARY KEY, value text NOT NULL)');
const GET = 'SELECT value FROM raw_state WHERE key = $1';
const SET = 'INSERT INTO raw_state (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
await serveState({
  get: async (key) => JSON.parse((await pool.query({ name: 'get', text: GET, values: [key] })).rows[0].value),
  set: (key) => pool.query({ name: 'set', text: SET, values: [key, JSON.stringify(VALUE)] }),
});
