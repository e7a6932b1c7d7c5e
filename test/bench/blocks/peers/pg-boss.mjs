// pg-boss: what is sent in a turn goes in one insert, four workers take up to 2,000 jobs each, polling at the shortest interval.
import PgBoss from 'pg-boss';
import { Meter, perTurn, serveQueue } from './jobs.mjs';

const WORKERS = 4;
const boss = new PgBoss({ connectionString: process.argv[2], max: 10, monitorStateIntervalSeconds: 3600 });
boss.on('error', (error) => process.stderr.write(`${error}\n`));
await boss.start();
await boss.createQueue('bench');
const meter = new Meter();
for (let n = 0; n < WORKERS; n++) {
  await boss.work('bench', { batchSize: 2000, pollingIntervalSeconds: 0.5 }, async (jobs) => { for (const { data } of jobs) meter.handled(data); });
}
serveQueue(perTurn((messages) => boss.insert(messages.map((data) => ({ name: 'bench', data })))), meter);
