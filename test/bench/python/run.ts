// Python handlers against those of Node.js: one engine, both languages' Step processes, one-second slices in rotation.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aboveZero, campaignOptions } from '../../support/campaign.js';
import { EngineProcess } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { LoadProcess } from '../src/load-process.js';
import { machine } from '../src/machine.js';
import { measure } from '../src/measure.js';
import { BENCH_FOLDER } from '../src/peers.js';
import { descendantsOf } from '../src/process-usage.js';
import { queueSlice } from '../src/queue-slice.js';
import { median } from '../../support/statistics.js';
import { LANGUAGES, writePythonApplication, type Language } from './python-application.js';

/** What Python has to reach of Node.js' rate in the same round. */
const AIM = 0.35;
const KINDS = ['get', 'post', 'queue'] as const;
type Kind = typeof KINDS[number];
type Figures = Readonly<Record<'perSecond' | 'cpuMain' | 'cpuOthers', number>>;

const { rounds, seconds, messages } = campaignOptions({ rounds: 5, seconds: 1, messages: 10_000 });
aboveZero({ rounds, seconds, messages });

const engine = new EngineProcess({ cwd: writePythonApplication(), args: ['--config', 'config.yaml'], env: { NODE_ENV: 'production', LOG_FORMAT: 'json' } });
const load = new LoadProcess();
const results = new Map<string, Figures[]>();
try {
  const url = await engine.ready();
  for (const kind of KINDS) for (const language of LANGUAGES) await slice(url, kind, language);
  for (let round = 0; round < rounds; round++) await runRound(url, round);
} finally {
  load.stop();
  await engine.stop();
}
publish();

/** Each round begins with another language, so that none always follows the same neighbour. */
async function runRound(url: string, round: number): Promise<void> {
  console.error(`[bench] round ${round + 1} of ${rounds}`);
  for (const kind of KINDS) {
    for (let n = 0; n < LANGUAGES.length; n++) {
      const language = LANGUAGES[(n + round) % LANGUAGES.length] as Language;
      const key = `${kind} ${language}`;
      results.set(key, [...(results.get(key) ?? []), await slice(url, kind, language)]);
    }
  }
}

async function slice(url: string, kind: Kind, language: Language): Promise<Figures> {
  if (kind === 'queue') return queueSlice(engine, url, { step: `Job-${language}`, topic: `jobs.${language}` }, messages);
  const path = `${kind === 'get' ? '/hello' : '/orders'}/${language}`;
  if (kind === 'get') await mustAnswer(`${url}${path}`);
  const server = { port: Number(new URL(url).port), pids: () => [engine.pid, ...descendantsOf(engine.pid)], stop: () => Promise.resolve() };
  const made = await measure({ request: kind, path }, server, load, seconds);
  if (made.failures + made.non2xx > 0) throw new Error(`${kind} ${language}: ${made.failures} failures, ${made.non2xx} answers that were no success`);
  return made;
}

async function mustAnswer(address: string): Promise<void> {
  const { status, text } = await request('GET', address);
  if (status !== 200) throw new Error(`${address} answered ${status}: ${text}`);
}

function publish(): void {
  const facts = machine(BENCH_FOLDER, []);
  const of = (kind: Kind, language: Language): readonly Figures[] => results.get(`${kind} ${language}`) ?? [];
  const rows = KINDS.flatMap((kind) => LANGUAGES.map((language) => {
    const own = of(kind, language);
    const ratio = median(own.map((figures, round) => figures.perSecond / (of(kind, 'node')[round]?.perSecond ?? NaN)));
    const [perSecond, cpuMain, cpuOthers] = (['perSecond', 'cpuMain', 'cpuOthers'] as const).map((key) => median(own.map((figures) => figures[key])));
    return { kind, language, perSecond, ratio, cpuMain, cpuOthers };
  }));
  const folder = join(BENCH_FOLDER, 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `python-${new Date().toISOString().replaceAll(':', '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ machine: facts, rounds, seconds, messages, rows, all: Object.fromEntries(results) }, null, 2)}\n`);
  console.log(`${facts.date}, Node ${facts.node}, ${facts.system}, ${facts.processors}; ${rounds} rounds\n`);
  console.log('| what | handler | per second | of Node.js | CPU us each, engine | Step process |\n|---|---|---:|---:|---:|---:|');
  for (const row of rows) {
    console.log(`| ${row.kind} | ${row.language} | ${row.perSecond?.toFixed(0)} | ${row.ratio.toFixed(2)} | ${row.cpuMain?.toFixed(1)} | ${row.cpuOthers?.toFixed(1)} |`);
  }
  for (const row of rows) {
    if (row.language !== 'node') console.log(`${row.ratio >= AIM ? 'ok   ' : 'BELOW'} ${row.kind} ${row.language}: ${row.ratio.toFixed(2)} of Node.js (at least ${AIM})`);
  }
  console.log(`\nwritten to ${file}`);
}
