import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InstanceId, Logger, LogFields, TreadleError, Turn } from '@treadle/api';
import { EngineTurn } from '@treadle/kernel';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { driverNamed } from '../driver/choose-driver.js';
import type { Driver, DriverName } from '../driver/driver.js';
import type { StoreUser } from '../store/sqlite-store.js';

/** Drivers that work on this machine and runtime. */
export const DRIVERS: readonly Driver[] = (['node:sqlite', 'better-sqlite3', 'libsql'] as const satisfies readonly DriverName[])
  .map(driverNamed).filter((driver) => driver !== undefined);

const folders: string[] = [];

/** A fresh folder that goes when all tests have run. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-sqlite-'));
  folders.push(folder);
  return folder;
}

after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export interface LogLine { readonly level: string; readonly message: string; readonly fields: LogFields | undefined }

/** A logger that keeps its lines. */
export function keptLog(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (message: string, fields?: LogFields) => void lines.push({ level, message, fields });
  const logger = { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => logger };
  return logger;
}

/** What `openStore` needs beside file and durability. */
export function surroundings(): { clock: FakeClock; turn: Turn; log: ReturnType<typeof keptLog> } {
  const clock = fakeClock();
  return { clock, turn: new EngineTurn(clock), log: keptLog() };
}

/** A user of a store that notes what it is told. */
export function keptUser(path = 'modules[0].config.adapter', line = 7): StoreUser & { readonly told: string[]; readonly fatals: TreadleError[] } {
  const told: string[] = [];
  const fatals: TreadleError[] = [];
  const instance: InstanceId = {
    id: 'modules::state::adapters::Sqlite', classId: 'modules::state::adapters::Sqlite', path, package: '@treadle/plugin-sqlite',
    version: '0.1.0', at: { file: 'config.yaml', line },
  };
  return {
    told, fatals, instance,
    report: (status, detail) => void told.push(detail ? `${status}: ${detail.message}` : status),
    fatal: (error) => void fatals.push(error),
  };
}

/** The error that a call throws or a promise rejects with. */
export async function errorOf(act: () => unknown): Promise<Error & { code?: string; exitCode?: number; hint?: string }> {
  try {
    await act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}
