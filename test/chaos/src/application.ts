import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempApplication } from '../../support/temp-folder.js';

/** The handlers' connection to the checker; every handler waits until the checker has written its line down. */
const JOURNAL = `import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const waiting = new Map();
let numbers = 0;
const socket = connect({ port: JSON.parse(readFileSync('checker.json', 'utf8')).port, host: '127.0.0.1', noDelay: true });
socket.on('error', () => undefined);
socket.unref();
createInterface({ input: socket }).on('error', () => undefined).on('line', (line) => {
  const number = Number(line.split(' ')[0]);
  waiting.get(number)?.();
  waiting.delete(number);
});

export function tell(event) {
  const number = ++numbers;
  socket.write(number + ' ' + JSON.stringify(event) + '\\n');
  return new Promise((resolve) => waiting.set(number, resolve));
}

let runs = 0;
export async function journaled(stage, { id, key, n }, more, work) {
  const run = process.pid + '-' + process.hrtime.bigint().toString(36) + '-' + ++runs;
  await tell({ type: 'began', id, stage, run, pid: process.pid, ...(stage === 'ordered' ? { key, n } : {}), ...more });
  try {
    await work?.(run);
  } catch (error) {
    await tell({ type: 'failed', id, run });
    throw error;
  }
  await tell({ type: 'ended', id, run, last: stage === 'ordered' || stage === 'three' || stage === 'slow' });
}
`;

/** Tells where it runs: the engine may keep it in a process of its own after a kill, and that one counts as a worker too. */
const PRODUCE = `import { tell } from '../journal.js';
export const config = {
  name: 'Produce', triggers: [{ type: 'http', method: 'POST', path: '/produce' }], enqueues: ['ordered', 'chain.one', 'slow'],
};
const TOPICS = { ordered: 'ordered', chain: 'chain.one', slow: 'slow' };
export const handler = async ({ body }, { enqueue }) => {
  void tell({ type: 'produced', pid: process.pid });
  const { messageId } = await enqueue({ topic: TOPICS[body.lane], data: body, ...(body.key ? { messageGroupId: body.key } : {}) });
  return { status: 200, body: { messageId } };
};
`;

/** Every 29th message of a key fails twice; the ones behind it have to wait for it. */
const ORDERED = `import { journaled } from '../journal.js';
export const config = { name: 'Ordered', triggers: [{ type: 'queue', topic: 'ordered', config: {
  type: 'fifo', concurrency: 32, backoff: { type: 'fixed', delayMs: 40, jitter: 0 } } }] };
export const handler = (data, { attempt }) => journaled('ordered', data, { expectedRepeat: attempt > 1 }, () => {
  if (data.n % 29 === 7 && attempt < 3) throw new Error('as planned');
});
`;

/** One link; it passes on with a dedupe key, so that a repeated run does not start the rest of the chain twice. */
const link = (name: string, stage: string, topic: string, next?: string): string => `import { journaled } from '../journal.js';
export const config = { name: '${name}', triggers: [{ type: 'queue', topic: '${topic}', config: { concurrency: 32 } }], enqueues: [${next ? `'${next}'` : ''}] };
export const handler = (data, { enqueue }) => journaled('${stage}', data, {}, ${next
  ? `() => enqueue({ topic: '${next}', data, dedupeKey: data.id })` : 'undefined'});
`;

/** Goes on after its time is up and then tries to write: a superseded run that must have no effect. */
const SLOW = `import { tell, journaled } from '../journal.js';
export const config = { name: 'Slow', triggers: [{ type: 'queue', topic: 'slow', config: {
  timeoutMs: 400, maxAttempts: 5, backoff: { type: 'fixed', delayMs: 50, jitter: 0 }, concurrency: 4 } }] };
export const handler = (data, { attempt, state }) => journaled('slow', data, { expectedRepeat: attempt > 1 }, async (run) => {
  if (attempt > 1) return;
  await new Promise((resolve) => setTimeout(resolve, 900));
  await state.update('slow', data.id, [{ type: 'increment' }]).then(() => tell({ type: 'effect', run }), () => tell({ type: 'refusedStale', run }));
});
`;

/** Queue adapters that the checker must catch. */
export type Control = 'AckFirst' | 'Unfenced' | 'Unordered' | 'Forgetful';

/** What a run may change of the engine. */
export interface EngineChanges {
  /** A queue adapter that is wrong on purpose, see `controls`. */
  readonly control?: Control;
  readonly durability?: 'full' | 'relaxed';
  readonly workers?: number;
}

const CONTROLS = fileURLToPath(new URL('../controls', import.meta.url));

/** Writes the application under chaos into a fresh folder and tells it where the checker listens. */
export function chaosApplication(checkerPort: number, changes: EngineChanges): string {
  const folder = tempApplication({
    'journal.js': JOURNAL, 'steps/produce.step.js': PRODUCE, 'steps/ordered.step.js': ORDERED, 'steps/slow.step.js': SLOW,
    'steps/one.step.js': link('One', 'one', 'chain.one', 'chain.two'), 'steps/two.step.js': link('Two', 'two', 'chain.two', 'chain.three'),
    'steps/three.step.js': link('Three', 'three', 'chain.three'), 'config.yaml': configuration(changes),
  });
  writeFileSync(join(folder, 'checker.json'), JSON.stringify({ port: checkerPort }));
  if (changes.control) symlinkSync(CONTROLS, join(folder, 'controls'), 'dir');
  return folder;
}

/** The file in the data directory that holds the messages; the controls have one of their own. */
export function storeOf({ control }: EngineChanges): string {
  return control ? 'controls.db' : 'treadle.db';
}

function configuration({ control, durability = 'full', workers = 2 }: EngineChanges): string {
  const adapter = control ? `chaos::queue::adapters::${control}` : 'modules::queue::adapters::Sqlite';
  return `${control ? 'plugins: [./controls]\n' : ''}engine:
  implicit_modules: false
  init_timeout_ms: 60000
  start_timeout_ms: 60000
modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000, handler_timeout_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node, config: { workers: ${workers} } }] }
  - class: modules::state::StateModule
  - class: modules::queue::QueueModule
    config: { adapter: { class: '${adapter}', config: { durability: ${durability} } } }
`;
}
