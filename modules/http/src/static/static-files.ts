import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { treadleError } from '@treadle/api';
import fresh from 'fresh';
import { type ByteRange, requestedRange } from './byte-range.js';
import type { Exchange } from '../request/exchange.js';
import type { StaticMount } from '../http.config.js';
import { contentTypeOf } from './content-types.js';
import { FileFault, type FoundFile, openFile, openInside, readWhole } from './open-file.js';
import { PathPrefix } from '../routing/path-prefix.js';
import { overloaded, PROBLEMS, rangeNotSatisfiable } from '../response/problem.js';
import type { HeaderList } from '../response/response-headers.js';
import { writePayload } from '../response/result-writer.js';

/** Smaller files are read whole, so that they can be compressed. */
const WHOLE_FILE_BYTES = 1024 * 1024;
/** The process or the system has no more at the moment. */
const NO_ROOM: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);
const FORBIDDEN: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM']);

interface Mount {
  readonly prefix: PathPrefix;
  /** Absolute, symbolic links resolved. */
  readonly root: string;
  /** Sent for pages that are no file. */
  readonly fallback: string | undefined;
}

/**
 * Serves the files of `static` mounts: no dot files, nothing outside the folder, conditional and range requests. Not by `send`: it follows
 * links out of the folder, and writes past what every answer goes through here (compression, the limit of memory, log and metrics).
 */
export class StaticFiles {
  private constructor(private readonly mounts: readonly Mount[]) {}

  /**
   * Opens the folders of a config. `path` is the config's position.
   * @throws CONFIG_BAD_VALUE when a folder is not there
   */
  static async open(mounts: readonly StaticMount[], root: string, path: string): Promise<StaticFiles> {
    const opened = mounts.map(async (mount, index) => {
      const folder = join(root, mount.dir);
      const real = await realpath(folder).catch(() => {
        throw treadleError('CONFIG_BAD_VALUE', { path: `${path}.static[${index}].dir`, problem: `there is no folder "${folder}"` });
      });
      if (mount.fallback !== undefined) await requireFile(join(real, mount.fallback), `${path}.static[${index}].fallback`);
      return { prefix: new PathPrefix(mount.path), root: real, fallback: mount.fallback };
    });
    return new StaticFiles(await Promise.all(opened));
  }

  /** Answers with a file, or calls `missing`. */
  serve(exchange: Exchange, missing: () => void): void {
    this.find(exchange).then((found) => (found ? undefined : missing())).catch((error: unknown) => {
      if (error instanceof FileFault) refuseFault(exchange, error);
      else exchange.crash(error);
    });
  }

  private async find(exchange: Exchange): Promise<boolean> {
    for (const { prefix, root } of this.mounts) {
      const segments = prefix.below(exchange.path);
      const file = segments && await openFile(root, segments);
      if (file === 'folder') {
        exchange.send(301, ['location', `${exchange.path}/${exchange.queryText === '' ? '' : `?${exchange.queryText}`}`, 'content-length', 0], undefined);
        return true;
      }
      if (file) {
        await sendFile(exchange, file);
        return true;
      }
    }
    return this.findFallback(exchange);
  }

  private async findFallback(exchange: Exchange): Promise<boolean> {
    if (!asksForPage(exchange)) return false;
    for (const { prefix, root, fallback } of this.mounts) {
      if (fallback === undefined || !prefix.below(exchange.path)) continue;
      const file = await openInside(root, join(root, fallback));
      if (!file) continue;
      await sendFile(exchange, file);
      return true;
    }
    return false;
  }
}

/** A name with an extension is a file that is missing, and what scripts fetch is no page: both are to get their 404. */
function asksForPage({ path, request }: Exchange): boolean {
  return extname(path) === '' && (request.headers.accept ?? '').includes('text/html');
}

/** @throws CONFIG_BAD_VALUE when there is no such file */
async function requireFile(file: string, path: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw treadleError('CONFIG_BAD_VALUE', { path, problem: `there is no file "${file}"` });
}

/** The answer where a file that may be there cannot be read; the log names it. */
function refuseFault(exchange: Exchange, fault: FileFault): void {
  exchange.log('error', 'a static file could not be sent', { file: fault.file, error: fault.message });
  exchange.refuse(NO_ROOM.has(fault.code) ? overloaded() : FORBIDDEN.has(fault.code) ? PROBLEMS.fileForbidden : PROBLEMS.unhandled);
}

async function sendFile(exchange: Exchange, file: FoundFile): Promise<void> {
  const etag = `W/"${file.size.toString(16)}-${file.modifiedMs.toString(16)}"`;
  const contentType = contentTypeOf(extname(file.path));
  const modified = new Date(file.modifiedMs).toUTCString();
  const list: HeaderList = [
    'etag', etag, 'last-modified', modified, 'cache-control', 'public, max-age=0',
    'x-content-type-options', 'nosniff',
  ];
  if (fresh(exchange.request.headers, { etag, 'last-modified': modified })) {
    await file.handle.close();
    exchange.send(304, list, undefined);
    return;
  }
  list.push('content-type', contentType, 'accept-ranges', 'bytes');
  const range = exchange.request.method === 'GET' ? requestedRange(exchange.request.headers, file) : undefined;
  if (range === 'unsatisfiable') {
    await file.handle.close();
    exchange.refuse(rangeNotSatisfiable(file.size));
  } else if (range) {
    sendPart(exchange, file, { list, range });
  } else {
    await sendWhole(exchange, file, { list, contentType });
  }
}

/** Never compressed: the numbers are those of the file as it is. */
function sendPart(exchange: Exchange, { path, handle, size }: FoundFile, { list, range: { start, end } }: { list: HeaderList; range: ByteRange }): void {
  list.push('content-range', `bytes ${start}-${end}/${size}`);
  exchange.sendStream(206, list, createReadStream('', { fd: handle, start, end }), { bytes: end - start + 1, of: path });
}

async function sendWhole(exchange: Exchange, file: FoundFile, { list, contentType }: { list: HeaderList; contentType: string }): Promise<void> {
  if (file.size <= WHOLE_FILE_BYTES) {
    // Asked before it is read: many who ask and do not read would fill the memory with files.
    if (!exchange.admits(file.size)) {
      await file.handle.close();
      exchange.refuse(overloaded());
      return;
    }
    writePayload(exchange, 200, { list, payload: await readWhole(file), contentType });
    return;
  }
  if (exchange.request.method !== 'HEAD') {
    exchange.sendStream(200, list, createReadStream('', { fd: file.handle, end: file.size - 1 }), { bytes: file.size, of: file.path });
    return;
  }
  await file.handle.close();
  list.push('content-length', file.size);
  exchange.send(200, list, undefined);
}
