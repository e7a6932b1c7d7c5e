import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { dump, load } from 'js-yaml';
import type { Context } from 'mocha';
import { ROOT } from '../architecture/workspace.js';
import { type NamedAdapter, type SharedBackend, type Slot, SLOTS } from './shared-backends.js';

/** What the tests run on in place of the embedded store, as `test/scripts/run-tests.mjs` gives it by TREADLE_TEST_STORE; undefined: on that. */
const STORE = process.env['TREADLE_TEST_BACKEND'];
if (process.env['TREADLE_TEST_STORE'] && STORE === undefined) throw new Error('TREADLE_TEST_STORE needs servers: run the tests by test/scripts/run-tests.mjs');
/** The setting of an adapter that tells one application's data from another's. */
const NAMES: Readonly<Record<string, string>> = { Postgres: 'schema', Redis: 'prefix', Nats: 'name', RabbitMq: 'name' };
/** Classes of the modules by slot. */
const MODULES: Readonly<Record<Slot, string>> = {
  queue: 'modules::queue::QueueModule', state: 'modules::state::StateModule', stream: 'modules::stream::StreamModule', cron: 'modules::cron::CronModule',
};

interface Entry { readonly class?: string; readonly config?: Readonly<Record<string, unknown>> | null }
interface Document { readonly engine?: { readonly implicit_modules?: boolean }; readonly plugins?: readonly string[]; readonly modules?: readonly Entry[] }

/**
 * Puts the adapters of the tests' store into the configuration that an engine is about to be started with: into the modules that name none or the embedded
 * store, and those that every engine has. It may be put there twice. A file that cannot be read, or is only to be checked, is left as it is.
 */
export function putOnTestStore(cwd: string, args: readonly string[], dataDir: string): void {
  const file = resolve(cwd, args.includes('--config') ? args[args.indexOf('--config') + 1] ?? '' : 'config.yaml');
  if (STORE === undefined || args.includes('--check') || !existsSync(file)) return;
  const document = documentIn(file);
  if (document && Array.isArray(document.modules ?? [])) writeFileSync(file, dump(onBackend(document, JSON.parse(STORE) as SharedBackend, dataDir), { noRefs: true, lineWidth: -1 }));
}

/** Whether engines of tests have their data in the embedded store. */
export const ON_EMBEDDED_STORE = STORE === undefined;

/** What `GET /health` says where nothing is wrong. The servers of tests may lose what a power cut takes, and their adapters say that and nothing else. */
export const HEALTHY = ON_EMBEDDED_STORE ? /^\{"status":"ok"\}$/
  : /^\{"status":"(?:ok"|degraded","checks":\{(?:"[\w:]+":\{"status":"degraded","message":"durability: [^"]*"\},?)+\})\}$/;

/** For tests that are about the embedded store itself: skips them on another one. */
export function needsEmbeddedStore(test: Context, reason: string): void {
  if (STORE === undefined) return;
  const runnable = test.test;
  if (runnable) runnable.title += ` (skipped on another store: ${reason})`;
  test.skip();
}

function documentIn(file: string): Document | undefined {
  try {
    const document = load(readFileSync(file, 'utf8')) as Document | null | undefined;
    return document === null || typeof document === 'object' ? document ?? {} : undefined;
  } catch {
    return undefined;
  }
}

/** The modules come last: tests append some. */
function onBackend({ plugins: listed = [], modules = [], ...document }: Document, { plugins, adapters }: SharedBackend, dataDir: string): Document {
  const added = document.engine?.implicit_modules === false ? [] : SLOTS.filter((slot) => !modules.some((entry) => entry.class === MODULES[slot]));
  const placed = [...modules, ...added.map((slot): Entry => ({ class: MODULES[slot] }))].map((entry): Entry => {
    const slot = SLOTS.find((each) => MODULES[each] === entry.class);
    if (slot === undefined || !isEmbedded(entry.config?.['adapter'])) return entry;
    return { ...entry, config: { ...entry.config, adapter: separate(adapters[slot], dataDir) } };
  });
  const missing = plugins.map((name) => join(ROOT, 'plugins', basename(name))).filter((path) => !listed.some((one) => basename(one) === basename(path)));
  return { ...document, plugins: [...listed, ...missing], modules: placed };
}

/** The default, whether it is written or not. */
function isEmbedded(adapter: unknown): boolean {
  return adapter === undefined || String((adapter as { readonly class?: unknown } | null)?.class).endsWith('::Sqlite');
}

/** Engines with the same data directory have the same data; so with the store behind an adapter. */
function separate({ class: id, config }: NamedAdapter, dataDir: string): NamedAdapter {
  const name = `t_${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const { store } = config as { readonly store?: NamedAdapter };
  return { class: id, config: { ...config, [NAMES[id.split('::').at(-1) ?? ''] ?? 'name']: name, ...store && { store: separate(store, dataDir) } } };
}
