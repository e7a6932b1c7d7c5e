import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatError, type TreadleError } from '@treadle/api';
import { BUILTIN_PLUGINS } from '@treadle/engine';
import { planEngine, type PlanResult } from '@treadle/kernel';
import { seededRandom } from '@treadle/testing';
import { mutate } from './config-mutations.js';

/** `npm run fuzz:config` runs 100,000; one seed and number replay a run. */
const RUNS = Number(process.env['TREADLE_FUZZ_RUNS'] ?? 1_500);
const SEED = Number(process.env['TREADLE_FUZZ_SEED'] ?? 20_261_120);
const MAX_MS = 2_000;

const ORIGINALS: readonly string[] = [
  `modules:
  - class: modules::stream::StreamModule
    config:
      port: \${STREAM_PORT:3112}
      host: 127.0.0.1
      adapter:
        class: modules::stream::adapters::KvStore
        config:
          store_method: file_based
          file_path: ./data/stream_store
  - class: modules::observability::OtelModule
    config:
      enabled: \${OTEL_ENABLED:true}
      exporter: memory
      sampling_ratio: 1.0
`,
  `# a whole configuration
engine:
  mode: development
  data_dir: ./data
  implicit_modules: false
  drain_delay_ms: 2000
plugins: []
modules:
  - class: modules::http::HttpModule
    name: front
    config:
      port: \${PORT:3111}
      host: 0.0.0.0
  - class: modules::steps::StepsModule
    enabled: true
    config:
      port: false
      runtimes:
        - class: modules::runtime::adapters::Node
          config: { workers: 2 }
`,
  'modules: [{ class: modules::http::HttpModule, config: { port: 0, cors: { origins: ["https://a.example"] } } }]\n',
  'plugins: [acme-treadle-sqs, "./local", "@acme/x"]\nengine: { root: .., drain_timeout_ms: "${DRAIN:1000}" }\n',
];

const ENV = { PORT: 'abc', DRAIN: '17', A: 'a: {b' };
const KEY_FIRST = /^(?:modules|plugins|engine|default\.modules|[A-Za-z_][\w-]*|\["?)[\w.[\]"-]*: /;
const STACK = /\n\s+at .+:\d+:\d+/;

describe('mutated configuration files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-fuzz-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it(`give errors with a place, never an exception or a hang (${RUNS} runs, seed ${SEED})`, async function () {
    this.timeout(60_000 + RUNS * 20);
    let faulty = 0;
    for (let run = 0; run < RUNS; run += 1) {
      const next = seededRandom(SEED + run);
      const text = mutate(ORIGINALS[(SEED + run) % ORIGINALS.length] as string, next);
      const result = await planned(text, run);
      faulty += result.plan ? 0 : 1;
      for (const error of [...result.errors, ...result.warnings]) check(error, text, run);
      if (!result.plan && result.errors.length === 0) fail('neither a plan nor an error', text, run);
    }
    // A campaign whose mutations do no harm, or nothing but harm, would test nothing.
    expect(faulty).to.be.within(RUNS * 0.3, RUNS * 0.999);
  });

  async function planned(text: string, run: number): Promise<PlanResult> {
    writeFileSync(join(folder, 'config.yaml'), text);
    const began = performance.now();
    try {
      return await planEngine({ configFile: 'config.yaml', cwd: folder, env: ENV, builtins: BUILTIN_PLUGINS, engineVersion: '0' });
    } catch (error) {
      return fail(`it threw ${(error as Error).stack ?? String(error)}`, text, run);
    } finally {
      if (performance.now() - began > MAX_MS) fail(`it took more than ${MAX_MS} ms`, text, run);
    }
  }
});

function check(error: TreadleError, text: string, run: number): void {
  const shown = formatError(error);
  if (STACK.test(shown)) fail(`a stack trace: ${shown}`, text, run);
  if (error.code === 'INTERNAL') fail(`an internal error: ${shown}`, text, run);
  const placed = error.at?.file !== undefined && error.at.line !== undefined;
  if (!placed && !KEY_FIRST.test(error.message)) fail(`neither file and line nor key: ${shown}`, text, run);
}

function fail(what: string, text: string, run: number): never {
  throw new Error(`${what}\nreplay: TREADLE_FUZZ_SEED=${SEED + run} TREADLE_FUZZ_RUNS=1\n${JSON.stringify(text)}`);
}
