import { join } from 'node:path';
import { waitUntil } from '../support/wait-until.js';
import { request } from '../support/http-client.js';
import type { Combination } from './combination.js';
import { Terminal } from './terminal.js';

/** What is written down under one heading. */
export interface Chapter {
  readonly title: string;
  readonly lines: readonly string[];
}

export interface FirstHour {
  readonly language: Combination['language'];
  /** An empty folder. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Free: of HTTP, of Step processes that are started by hand, of the admin API. */
  readonly ports: readonly [http: number, workers: number, admin: number];
}

const FILES = { ts: 'steps/create-task.step.ts', js: 'steps/create-task.step.js', py: 'steps/create_task_step.py' } as const;
const PROGRAMS = { ts: 'node dist/index-production.js', js: 'node dist/index-production.js', py: 'python3 dist/index_production.py' } as const;
/** Of `treadle dev`, with its Steps. */
const READY = /^\d+ Steps? \(/m;
/** All Steps of a build are there. */
const SERVES = /"status":"ok"/;

/** Goes from an empty folder to a restored backup with the api template, and gives what was typed and printed. @throws Error when a command fails */
export async function firstHour({ language, folder, env, ports: [http, workers, admin] }: FirstHour): Promise<readonly Chapter[]> {
  const terminal = new Terminal({ ...env, PORT: String(http), WORKER_PORT: String(workers), CONSOLE_PORT: String(admin), STREAM_PORT: '0' }, folder);
  const chapters: Chapter[] = [];
  let from = 0;
  const chapter = async (title: string, work: () => Promise<void>): Promise<void> => {
    await work();
    chapters.push({ title, lines: terminal.lines.slice(from) });
    from = terminal.lines.length;
  };
  const file = FILES[language];
  const url = `http://127.0.0.1:${http}`;
  const post = (text: string): string => `curl -s -X POST ${url}/tasks -H 'content-type: application/json' -d '{"description": "${text}"}'`;

  await chapter('Create', async () => {
    await terminal.type(`npx --yes treadle create my-app --language ${language} --template api --yes`);
    terminal.cwd = join(folder, 'my-app');
  });
  let dev = await terminal.begin('npm run dev', READY);
  await chapter('Answer', async () => {
    await terminal.type(post('Buy milk'));
    await dev.prints(/POST \/tasks|POST {2}\/tasks/);
  });
  await chapter('Change', async () => {
    await terminal.type(`sed -i.bak 's/task created/task stored/' ${file}`);
    await dev.prints(/CreateTask/);
    await terminal.type(post('Buy bread'));
    await dev.prints(/task stored/);
  });
  await chapter('Mistake', async () => {
    await terminal.type(`sed -i.bak 's/TASKS, ${language === 'py' ? 'task_id, created)' : 'id, created)'}/TASKS, ${language === 'py' ? 'task_id created)' : 'id created)'}/' ${file}`);
    await dev.prints(/hint/);
    await terminal.type(post('Served by the last version that worked'));
    await terminal.type(`mv ${file}.bak ${file}`);
    await dev.prints(/order|problem any more|CreateTask/);
  });
  await dev.end('SIGINT');
  await chapter('Test and build', async () => {
    await terminal.type('npm test');
    await terminal.type('npm run build');
  });
  await chapter('Production', async () => {
    await terminal.type('npm ci --omit=dev');
    dev = await terminal.begin('npm start', SERVES);
    await terminal.type(`curl -s ${url}/tasks`);
  });
  await chapter('Backup and restore', async () => {
    await terminal.type('mkdir backups');
    await terminal.type('npx treadle backup backups/monday.db');
    await terminal.type(post('Not in the backup'));
    await dev.end('SIGTERM');
    await terminal.type('cp backups/monday.db data/treadle.db');
    dev = await terminal.begin('npm start', SERVES);
    await terminal.type(`curl -s ${url}/tasks`);
    await dev.end('SIGTERM');
  });
  await chapter('Step processes take turns while requests come in', async () => {
    const engine = await terminal.begin(`ENGINE_TOKEN=secret-of-both DISCOVER_STEPS=false npx treadle-engine`, /"message":"ready"/);
    const program = `ENGINE_TOKEN=secret-of-both ENGINE_URL=ws://127.0.0.1:${workers} ${PROGRAMS[language]}`;
    const before = await terminal.begin(program, /./);
    await waitUntil('the Steps', async () => (await request('GET', `${url}/tasks`)).status === 200);
    // It goes on while the processes take turns, and is written down when it has ended.
    const answers = terminal.type(`for i in $(seq 200); do curl -s -o /dev/null -w '%{http_code}\\n' ${url}/tasks; sleep 0.05; done | sort | uniq -c`);
    const after = await terminal.begin(program, /./);
    await before.end('SIGTERM');
    if (!/^\s*200 200\s*$/.test(await answers)) throw new Error(`some requests failed: ${await answers}`);
    await after.end('SIGTERM');
    await engine.end('SIGTERM');
  });
  return chapters;
}
