import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { treadleError, type TreadleError } from '@treadle/api';
import type { AdminAddress } from './find-admin.js';
import { refusalOf } from './refusal.js';

/** How long an answer may let itself be waited for. */
const TIMEOUT_MS = 30_000;
/** Largest answer that is read. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Parts of a path below `/api/v1`, not yet encoded. */
export type AdminPath = readonly string[];

/** Values of a query; those that are undefined are left out. */
export type AdminQuery = Readonly<Record<string, string | number | undefined>>;

interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: AdminPath;
  readonly query?: AdminQuery;
  readonly body?: unknown;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Asks one engine's admin API. Every refusal becomes the error that the command ends with: what the user can mend has
 * exit code 64, everything else 69.
 */
export class AdminClient {
  constructor(private readonly address: AdminAddress) {}

  /** Where it asks, for messages. */
  get url(): string {
    return this.address.url;
  }

  get<T>(path: AdminPath, query?: AdminQuery): Promise<T> {
    return this.json<T>({ method: 'GET', path, ...query === undefined ? {} : { query } });
  }

  /** `timeoutMs`: for what takes long. */
  post<T>(path: AdminPath, body: unknown, timeoutMs?: number): Promise<T> {
    return this.json<T>({ method: 'POST', path, body, ...timeoutMs === undefined ? {} : { timeoutMs } });
  }

  put<T>(path: AdminPath, body: unknown): Promise<T> {
    return this.json<T>({ method: 'PUT', path, body });
  }

  delete<T>(path: AdminPath): Promise<T> {
    return this.json<T>({ method: 'DELETE', path });
  }

  /** The text of an answer as it comes, such as server-sent events; ends when the engine ends it or the signal aborts. */
  async* text(path: AdminPath, query: AdminQuery, signal?: AbortSignal): AsyncGenerator<string> {
    const response = await this.send({ method: 'GET', path, query, ...signal ? { signal } : {} });
    if (response.statusCode !== 200) throw refusalOf(this.url, response.statusCode ?? 0, await textOf(response));
    try {
      for await (const chunk of response.setEncoding('utf8')) yield chunk as string;
    } catch (error) {
      if (signal?.aborted !== true) throw this.unreachable(error);
    }
  }

  private async json<T>(asked: Asked): Promise<T> {
    const response = await this.send(asked);
    const text = await textOf(response).catch((error: unknown) => {
      throw this.unreachable(error);
    });
    const status = response.statusCode ?? 0;
    if (status < 200 || status >= 300) throw refusalOf(this.url, status, text);
    try {
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch {
      throw this.unreachable(new Error('the answer is not JSON'));
    }
  }

  private send({ method, path, query = {}, body, timeoutMs = TIMEOUT_MS, signal }: Asked): Promise<IncomingMessage> {
    const text = method === 'GET' ? undefined : JSON.stringify(body ?? {});
    const options: RequestOptions = {
      ...this.target(path, query), method, headers: this.headers(text), agent: false,
      ...signal ? { signal } : { timeout: timeoutMs },
    };
    return new Promise((resolve, reject) => {
      const request = (this.address.url.startsWith('https:') ? httpsRequest : httpRequest)(options, resolve);
      request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
      request.on('error', (error) => reject(this.unreachable(error)));
      request.end(text);
    });
  }

  /** The path goes as it is written: a `URL` would take names such as `..` for places. */
  private target(path: AdminPath, query: AdminQuery): RequestOptions {
    const { protocol, hostname, port, pathname } = new URL(this.address.url);
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
    const below = ['api', 'v1', ...path.map(encodeURIComponent)].join('/');
    return {
      protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port, path: `${pathname.replace(/\/+$/, '')}/${below}${search.size > 0 ? `?${search.toString()}` : ''}`,
    };
  }

  private headers(body: string | undefined): Record<string, string | number> {
    const { token } = this.address;
    return {
      accept: 'application/json',
      ...token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...body === undefined ? {} : { 'content-type': 'application/json', 'x-console': '1', 'content-length': Buffer.byteLength(body) },
    };
  }

  private unreachable(cause: unknown): TreadleError {
    const { message, code } = cause as NodeJS.ErrnoException;
    return treadleError('ADMIN_UNREACHABLE', { url: this.url, reason: message || code || 'the connection was broken off' }, { cause });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += (chunk as Buffer).length;
    if (length > MAX_ANSWER_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
