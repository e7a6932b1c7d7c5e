import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Load, Slice, SliceJob } from './load-process.js';

const execute = promisify(execFile);
/** Tail of the Lua program: what wrk has counted, on a line that cannot be mistaken. Times are in microseconds. */
const DONE = `
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("counted %d %d %d %d %f %f\\n", summary.requests, summary.duration,
    e.connect + e.read + e.write + e.timeout, e.status, latency:percentile(50), latency:percentile(99)))
end
`;

/**
 * wrk with one thread, for comparison: it is in C and takes less of the processors. Its slices last whole seconds, at
 * least one. It counts statuses from 400 on, not all but 2xx.
 */
export class WrkLoad implements Load {
  readonly name = 'wrk';
  private readonly folder = mkdtempSync(join(tmpdir(), 'treadle-wrk-'));

  /** @throws Error when wrk cannot be run or its output read */
  async run({ port, connections, ms, request }: SliceJob): Promise<Slice> {
    const program = join(this.folder, 'request.lua');
    writeFileSync(program, wrkProgram(request));
    const seconds = Math.max(1, Math.round(ms / 1000));
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', program, `http://127.0.0.1:${port}`];
    const { stdout } = await execute('wrk', args).catch((error: Error) => {
      throw new Error(`wrk failed; is it installed and on the PATH? ${error.message}`, { cause: error });
    });
    return sliceOf(stdout);
  }

  stop(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Lua for a request given as bytes; without a function `request` wrk prepares it once. */
export function wrkProgram(request: string): string {
  const end = request.indexOf('\r\n\r\n');
  const [line = '', ...headers] = request.slice(0, end).split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  // wrk adds the length itself, and a Host unless there is one with just this name.
  const fields = headers.map((header) => header.replace(/^host:/, 'Host:').split(': ')).filter(([name]) => name !== 'content-length')
    .map(([name = '', value = '']) => `wrk.headers[${luaText(name)}] = ${luaText(value)}`);
  const body = request.slice(end + 4);
  return [
    `wrk.method = ${luaText(method)}`, `wrk.path = ${luaText(path)}`, ...fields, ...(body === '' ? [] : [`wrk.body = ${luaText(body)}`]), DONE,
  ].join('\n');
}

/** @throws Error when the line of `DONE` is missing */
export function sliceOf(output: string): Slice {
  const line = /^counted (\d+) (\d+) (\d+) (\d+) ([\d.]+) ([\d.]+)$/m.exec(output);
  if (!line) throw new Error(`wrk did not say what it counted:\n${output}`);
  const [requests = 0, duration = NaN, failures = 0, non2xx = 0, p50 = NaN, p99 = NaN] = line.slice(1).map(Number);
  return { requests, perSecond: requests / (duration / 1e6), failures, non2xx, p50Ms: p50 / 1000, p99Ms: p99 / 1000 };
}

/** Bytes beyond plain ASCII as decimal escapes, which Lua reads byte by byte. */
function luaText(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => (byte >= 32 && byte < 127 && byte !== 34 && byte !== 92
    ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`));
  return `"${bytes.join('')}"`;
}
