import { existsSync } from 'node:fs';
import { isAbsolute, parse, join } from 'node:path';
import { AdminError, type AdminCatalog, type AdminRoute, parseClassId } from '@treadle/api';
import type { BackupReport } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';

/** Blocks whose adapters keep data. */
const KEEPING: ReadonlySet<string | undefined> = new Set(['queue', 'state', 'stream', 'cron']);
const IN_MEMORY = ':memory:';

interface Store {
  readonly file: string;
  readonly backup: AdminRoute;
}

/**
 * Copies every embedded store of the running engine once, however many adapters share it. Several stores become
 * `<name>-1.<ext>`, `<name>-2.<ext>`, … in the order of their files.
 * @throws {Refusal} when the body is wrong, a file exists, or there is nothing to copy
 */
export async function backupStores(catalog: AdminCatalog, body: unknown): Promise<BackupReport> {
  const target = targetOf(body);
  const { stores, notCopied } = await storesOf(catalog);
  if (stores.length === 0) throw new Refusal(409, 'nothing_to_back_up', 'no adapter of this engine keeps its data in an embedded store on disk');
  const targets = stores.map((_store, index) => (stores.length === 1 ? target : numbered(target, index + 1)));
  const taken = targets.find((file) => existsSync(file));
  if (taken !== undefined) throw new Refusal(409, 'file_exists', `"${taken}" exists already; choose another file`);
  const files: BackupReport['files'][number][] = [];
  for (const [index, store] of stores.entries()) files.push(await copy(store, targets[index] ?? target, files));
  return { files, notCopied };
}

async function copy({ file: store, backup }: Store, file: string, done: BackupReport['files']): Promise<BackupReport['files'][number]> {
  try {
    const { bytes } = await backup.handle({ params: {}, query: {}, body: { file } }) as { readonly bytes: number };
    return { store, file, bytes };
  } catch (error) {
    if (!(error instanceof AdminError) || done.length === 0) throw error;
    throw new Refusal(error.status, error.code, `${error.message}; written before that: ${done.map((copied) => copied.file).join(', ')}`);
  }
}

async function storesOf(catalog: AdminCatalog): Promise<{ readonly stores: readonly Store[]; readonly notCopied: readonly string[] }> {
  const routes = catalog.routes();
  const stores = new Map<string, Store>();
  const notCopied: string[] = [];
  for (const { instance } of catalog.instances()) {
    const own = routes.filter((route) => route.instance === instance.id && route.classId === instance.classId);
    const file = await storeFile(own);
    const backup = own.find(({ method, path }) => method === 'POST' && path === '/backup');
    if (file !== undefined && file !== IN_MEMORY && backup) stores.set(file, { file, backup });
    else if (keepsData(instance.classId)) notCopied.push(instance.id);
  }
  return { stores: [...stores.values()].sort((a, b) => (a.file < b.file ? -1 : 1)), notCopied };
}

async function storeFile(routes: readonly AdminRoute[]): Promise<string | undefined> {
  const route = routes.find(({ method, path }) => method === 'GET' && path === '/store');
  const answer = await route?.handle({ params: {}, query: {}, body: undefined }) as { readonly file?: unknown } | undefined;
  return typeof answer?.file === 'string' ? answer.file : undefined;
}

function keepsData(classId: string): boolean {
  const parsed = parseClassId(classId);
  return parsed?.kind === 'adapter' && KEEPING.has(parsed.block);
}

function numbered(target: string, number: number): string {
  const { dir, name, ext } = parse(target);
  return join(dir, `${name}-${number}${ext}`);
}

function targetOf(body: unknown): string {
  const file = typeof body === 'object' && body !== null && 'file' in body ? body.file : undefined;
  if (typeof file === 'string' && isAbsolute(file) && !file.includes('\0')) return file;
  throw new Refusal(400, 'invalid_file', 'the body must be an object with "file", an absolute path on the engine\'s machine');
}
