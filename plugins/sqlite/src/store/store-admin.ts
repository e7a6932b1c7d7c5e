import { existsSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { AdminError, type AdminRequest, type ModuleContext, TreadleError } from '@treadle/api';
import type { SqliteStore } from './sqlite-store.js';

/**
 * Adds the admin routes of an adapter's store: `GET /store` tells where it is and how it writes, `POST /backup {file}`
 * copies it to a file that does not exist yet. Every adapter of a store has them.
 */
export function storeRoutes({ admin }: Pick<ModuleContext, 'admin'>, { store }: { readonly store: SqliteStore }): void {
  const { file, driver, durability } = store;
  admin.get('/store', async () => ({ file, driver, durability }), [], 'The store: its file and how it writes');
  admin.post('/backup', (request) => backup(store, request), ['file'], 'Copies the store to a new file');
}

async function backup(store: SqliteStore, { body }: AdminRequest): Promise<{ readonly file: string; readonly bytes: number }> {
  const file = targetOf(body);
  if (existsSync(file)) throw new AdminError(409, 'file_exists', `"${file}" exists already; choose another file`);
  try {
    await store.backup(file);
  } catch (error) {
    if (error instanceof TreadleError) throw new AdminError(422, error.code.toLowerCase(), error.message);
    throw error;
  }
  return { file, bytes: statSync(file).size };
}

function targetOf(body: unknown): string {
  const file = typeof body === 'object' && body !== null && 'file' in body ? body.file : undefined;
  if (typeof file === 'string' && isAbsolute(file) && !file.includes('\0')) return file;
  throw new AdminError(400, 'invalid_file', 'the body must be an object with "file", an absolute path');
}
