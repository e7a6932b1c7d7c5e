import type { Files } from './temp-folder.js';

/** A Step in JavaScript that answers GET requests; `body` is an expression over `req`. */
export function getStep(name: string, path: string, body: string, before = ''): string {
  return `export const config = { name: '${name}', triggers: [{ type: 'http', method: 'GET', path: '${path}' }] };
export const handler = async (req) => {
  ${before}
  return { status: 200, body: ${body} };
};
`;
}

export interface TestConfig {
  /** Child processes; default 1. */
  readonly workers?: number;
  /** Lines below `engine:`. */
  readonly engine?: readonly string[];
  /** `false`, or a port of the worker channel. */
  readonly workerPort?: number | false;
  /** How long a request waits for a worker; milliseconds. Default: longer than the next one takes on a busy machine. */
  readonly waitMs?: number;
}

/** A configuration on free ports. */
export function testConfig({ workers = 1, engine = [], workerPort = false, waitMs = 20_000 }: TestConfig = {}): string {
  return [
    ...(engine.length > 0 ? ['engine:', ...engine.map((line) => `  ${line}`)] : []),
    'modules:',
    '  - class: modules::http::HttpModule',
    // Tests share their processors: a loop that has to wait for them is no overload.
    `    config: { port: 0, max_event_loop_delay_ms: 60000, wait_timeout_ms: ${waitMs} }`,
    '  - class: modules::steps::StepsModule',
    '    config:',
    `      port: ${workerPort}`,
    '      runtimes:',
    '        - class: modules::runtime::adapters::Node',
    `          config: { workers: ${workers} }`,
    '',
  ].join('\n');
}

/** Steps that tell their process, take their time and die in several ways. */
export const MORTAL_STEPS: Files = {
  'steps/pid.step.js': getStep('Pid', '/pid', '{ pid: process.pid }'),
  'steps/slow.step.js': getStep('Slow', '/slow', '{ pid: process.pid }', 'await new Promise((r) => setTimeout(r, 60));'),
  'steps/exit.step.js': getStep('Exit', '/exit', '{}', 'process.reallyExit(0);'),
  'steps/heap.step.js': getStep('Heap', '/heap', '{}',
    "const kept = []; for (;;) kept.push(new Array(100_000).fill(0).map((_, i) => ({ i })));"),
};
