import { createServer } from 'node:net';
import { formatLocation, TreadleError, urlHost } from '@treadle/api';
import type { EnginePlan } from '@treadle/kernel';
import { listeningProcess } from './listening-process.js';

type Entry = EnginePlan['effective']['entries'][number];

const LOOPBACK = '127.0.0.1';
const HTTP = 'modules::http::HttpModule';
/** Ports above one that is taken that are tried. */
const TRIED = 20;

/**
 * The error of a start that found an address in use, in the words of the application: the line that asks for the port, who
 * has it, and a free one. Every other error comes back as it is.
 */
export async function explainAddressInUse<Thrown>(error: Thrown, { effective }: Pick<EnginePlan, 'effective'>): Promise<Thrown | TreadleError> {
  if (!(error instanceof TreadleError) || error.code !== 'ADDRESS_IN_USE') return error;
  const { address: host, port } = error.cause as { readonly address?: string; readonly port?: number };
  const entry = effective.entries.find(({ config }) => config['port'] === port);
  if (host === undefined || port === undefined || entry === undefined) return error;
  const owner = listeningProcess(port);
  const message = `address ${urlHost(host)}:${port} is already in use${owner ? ` by process ${owner.pid} (${owner.name})` : ''}; ${entry.class} needs it`;
  const { at } = { at: undefined, ...entry.origins['port'] };
  const used = effective.entries.map(({ config }) => config['port']);
  const free = await freePort(host, port, used);
  const hint = `end ${owner ? `process ${owner.pid}` : 'the other process'}, or take ${free === undefined ? 'another port' : `port ${free}, which is free`}: ${remedy(entry, free)}${await furtherOnes(effective.entries.filter((other) => other !== entry), [...used, free])}`;
  const { cause, instance, suppressed } = error;
  return new TreadleError(error.code, message, hint, { cause, instance, suppressed, at: at?.line === undefined ? undefined : at });
}

/** Ports that the next attempts would fail with: a second application beside the first finds all of them taken. */
async function furtherOnes(entries: readonly Entry[], used: readonly unknown[]): Promise<string> {
  const own = [...used];
  const told: string[] = [];
  for (const entry of entries) {
    const { port, host = LOOPBACK } = entry.config;
    if (typeof port !== 'number' || port === 0 || typeof host !== 'string' || await isFree(host, port)) continue;
    const free = await freePort(host, port, own);
    own.push(free);
    told.push(`${port} of ${entry.class} (${brief(entry, free ?? '<port>')})`);
  }
  return told.length === 0 ? '' : `; also in use: ${told.join(', ')}`;
}

/** What to write for another port, where it comes from now. */
function remedy(entry: Entry, free: number | undefined): string {
  const { class: name } = entry;
  const value = free ?? '<port>';
  if (lineOf(entry) !== undefined) return `write "port: ${value}" there`;
  const variable = variableOf(entry);
  const ways = [...(name === HTTP ? [`"--port ${value}"`] : []), ...(variable === undefined ? [] : [`${variable}=${value} in the environment or .env`])];
  return ways.length > 0 ? ways.join(', or ') : `write "port: ${value}" in the config of ${name}`;
}

/** The same in a word or two. */
function brief(entry: Entry, value: number | string): string {
  const [line, variable] = [lineOf(entry), variableOf(entry)];
  return line === undefined && variable !== undefined ? `${variable}=${value}` : `port: ${value}${line === undefined ? '' : ` at ${line}`}`;
}

/** Where a file has the port; what the command line gives has no line. */
function lineOf({ origins }: Entry): string | undefined {
  const origin = origins['port'];
  return origin?.kind === 'file' && origin.at.line !== undefined ? formatLocation(origin.at) : undefined;
}

/** The variable that the port is taken from, or would be. */
function variableOf({ origins, schema }: Entry): string | undefined {
  const origin = origins['port'];
  const { 'x-env': own } = (schema.properties?.['port'] ?? {}) as { readonly 'x-env'?: string };
  return origin?.kind === 'env' ? origin.variable : own;
}

/** The first free one above a port that is taken, and none that the application uses itself. */
async function freePort(host: string, taken: number, own: readonly unknown[]): Promise<number | undefined> {
  for (let port = taken + 1; port <= Math.min(taken + TRIED, 65_535); port++) {
    if (!own.includes(port) && await isFree(host, port)) return port;
  }
  return undefined;
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
