import { closeSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { EngineProcess } from '../../support/engine-process.js';
import { tempApplication } from '../../support/temp-folder.js';
import { UNREAD_BYTES } from './slow-connection.js';

/** What an engine under pressure is told. */
export interface PressureSettings {
  /** Processor time that a request takes its handler, in milliseconds. */
  readonly workMs: number;
  /** Limits of the headers, of the whole request and of a pause of a streamed answer, in milliseconds. */
  readonly slowMs?: number;
  /** Requests in handlers at a time. */
  readonly concurrency?: number;
  /** Requests that may wait for a place. */
  readonly waiting?: number;
}

const http = (name: string, method: string, path: string, handler: string): string =>
  `export const config = { name: '${name}', triggers: [{ type: 'http', method: '${method}', path: '${path}' }] };\n${handler}\n`;

const work = (workMs: number): string => `export const handler = async () => {
  const until = performance.now() + ${workMs};
  while (performance.now() < until);
  return { status: 200, body: { message: 'done' } };
};`;

const STREAM = `const piece = Buffer.alloc(65536);
async function* pieces() { for (let sent = 0; sent < ${UNREAD_BYTES}; sent += piece.length) yield piece; }
export const handler = async () => ({ status: 200, body: pieces() });`;

/** Starts it in a fresh folder. */
export function startPressureEngine(settings: PressureSettings): EngineProcess {
  const cwd = tempApplication({
    'steps/work.step.js': http('Work', 'GET', '/work', work(settings.workMs)),
    'steps/take.step.js': http('Take', 'POST', '/take', 'export const handler = async () => ({ status: 200, body: {} });'),
    'steps/stream.step.js': http('Stream', 'GET', '/stream', STREAM), 'config.yaml': configuration(settings),
  });
  mkdirSync(join(cwd, 'files'));
  const file = openSync(join(cwd, 'files/large.bin'), 'w');
  ftruncateSync(file, UNREAD_BYTES);
  closeSync(file);
  return new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { LOG_FORMAT: 'json', LOG_LEVEL: 'error' } });
}

function configuration({ slowMs, concurrency, waiting }: PressureSettings): string {
  const slow = slowMs === undefined ? '' : `, headers_timeout_ms: ${slowMs}, request_timeout_ms: ${slowMs}, stream_idle_timeout_ms: ${slowMs}`;
  const limits = `${concurrency === undefined ? '' : `, concurrency_request_limit: ${concurrency}`}${waiting === undefined ? '' : `, waiting_request_limit: ${waiting}`}`;
  return `engine: { implicit_modules: false }
modules:
  - class: modules::http::HttpModule
    config: { port: 0, static: [{ path: /files, dir: files }]${slow}${limits} }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node }] }
`;
}
