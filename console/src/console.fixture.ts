import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Clock, definePlugin, type Lifecycle, Module, type ModuleContext, type Plugin } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import type { Problem } from './contract/index.js';
import consolePlugin from './index.js';

/** What came over a raw socket. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A running console and what tests ask it. */
export interface ConsoleUnderTest {
  readonly test: TestComposition;
  readonly port: number;
  readonly token: string;
  /** Sends a request as it is written; `{}` stands for the port. Reads until the server closes or an answer is whole. */
  raw(lines: readonly string[], body?: string): Promise<RawAnswer>;
  /** As the CLI asks: with all that is needed. */
  ask(method: string, path: string, body?: unknown): Promise<RawAnswer & { readonly json: unknown }>;
}

export interface ConsoleOptions {
  readonly config?: string;
  readonly plugins?: readonly Plugin[];
  /** Further entries of `modules:`. */
  readonly modules?: string;
  readonly clock?: Clock;
}

/** Starts an engine with a console. */
export async function startConsole({ config = '', plugins = [], modules = '', clock }: ConsoleOptions = {}): Promise<ConsoleUnderTest> {
  const yaml = `
engine: { implicit_modules: false }
modules:
  - class: modules::console::ConsoleModule
    config: { port: 0${config === '' ? '' : `, ${config}`} }
${modules}`;
  const test = await createTestComposition({ builtins: [consolePlugin, ...plugins], yaml, ...clock === undefined ? {} : { clock } });
  return askOf(test);
}

/** What tests ask the console of a running engine. */
export async function askOf(test: TestComposition): Promise<ConsoleUnderTest> {
  const port = Number(new URL(test.url('console')).port);
  const token = (await readFile(join(test.dataDir, 'admin.token'), 'utf8')).trim();
  const raw = (lines: readonly string[], body = ''): Promise<RawAnswer> => exchange(port, `${lines.join('\r\n').replaceAll('{}', String(port))}\r\n\r\n${body}`);
  const ask: ConsoleUnderTest['ask'] = async (method, path, body) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const unsafe = method === 'GET' ? [] : ['Content-Type: application/json', 'X-Console: 1', `Content-Length: ${Buffer.byteLength(text)}`];
    const answer = await raw([`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1:{}', `Authorization: Bearer ${token}`, 'Connection: close', ...unsafe], text);
    return { ...answer, json: answer.body === '' ? undefined : JSON.parse(answer.body) as unknown };
  };
  return { test, port, token, raw, ask };
}

/** Status and JSON of an answer. The id in a refusal has to be that of the header; no test knows it beforehand, and it is left out. */
export function statusAndJson({ status, json, headers }: Awaited<ReturnType<ConsoleUnderTest['ask']>>): readonly unknown[] {
  if (status < 400) return json === undefined ? [status] : [status, json];
  const { requestId, ...problem } = json as Problem;
  if (requestId === undefined || requestId !== headers['x-request-id']) throw new Error(`the refusal has the id ${String(requestId)}, its header ${String(headers['x-request-id'])}`);
  return [status, problem];
}

/** A module of a class that does something with its context in `init`. */
export function moduleOf(id: `${string}::${string}::${string}`, init: (context: ModuleContext) => void): Plugin {
  class Probe implements Lifecycle {
    async init(context: ModuleContext): Promise<void> {
      init(context);
    }
  }
  Module({ id, summary: 'A module with admin routes', stability: 'development', since: '0.1.0', config: { type: 'object', additionalProperties: false } })(Probe);
  return definePlugin({ name: `@treadle/${id.toLowerCase().replaceAll('::', '-')}`, version: '0.1.0', api: '*', modules: [Probe] });
}

function exchange(port: number, text: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    const whole = (): RawAnswer | undefined => answerOf(Buffer.concat(pieces).toString('utf8'), !text.startsWith('HEAD '));
    const finish = (error?: Error): void => {
      socket.destroy();
      const answer = whole();
      if (answer) resolve(answer);
      else reject(error ?? new Error('the server closed without an answer'));
    };
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      if (whole()) finish();
    });
    socket.on('error', finish);
    socket.on('close', () => finish());
  });
}

/** Undefined as long as it is not whole. */
function answerOf(text: string, hasBody: boolean): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
  const body = text.slice(end + 4);
  if (hasBody && Buffer.byteLength(body) < Number(headers['content-length'] ?? 0)) return undefined;
  return { status: Number(first.split(' ')[1]), headers, body };
}
