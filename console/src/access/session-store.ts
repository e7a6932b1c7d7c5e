import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@treadle/api';
import type { Caller, NamedToken } from './caller.js';

/** A session as it lies in the file: who shows the id can be recognised, nobody can read it there. */
export interface StoredSession {
  /** SHA-256 of its id. */
  readonly id: string;
  readonly caller: Caller;
  /** What its token was like; with another token, role or sight of payloads of that name it is over. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** What tokens are like now, by the name of the caller. */
export type CallerKeys = ReadonlyMap<string, string>;

/** Sessions in `<data_dir>/sessions.json`: a browser stays in over a restart of the engine, unless its token is another one then. */
export class SessionStore {
  private readonly file: string;
  private written: Promise<void> = Promise.resolve();

  constructor(dataDir: string, private readonly keys: CallerKeys, private readonly log: Logger) {
    this.file = join(dataDir, 'sessions.json');
  }

  keyOf(name: string): string {
    return this.keys.get(name) ?? '';
  }

  /** What a former run has written, as far as it still counts. */
  async load(now: number): Promise<readonly StoredSession[]> {
    const text = await readFile(this.file, 'utf8').catch(() => '[]');
    return storedIn(text).filter(({ caller, key, until }) => until > now && key !== '' && key === this.keyOf(caller.name));
  }

  /** Replaces the file as a whole. */
  save(sessions: readonly StoredSession[]): void {
    this.written = this.written.then(() => this.write(JSON.stringify(sessions))).catch((error: unknown) => {
      this.log.warn('sessions of the console could not be written; they end with the engine', { file: this.file, reason: String(error) });
    });
  }

  /** Resolves when everything is in the file. */
  async close(): Promise<void> {
    await this.written;
  }

  private async write(text: string): Promise<void> {
    await writeFile(`${this.file}.new`, text, { mode: 0o600 });
    await rename(`${this.file}.new`, this.file);
  }
}

/** Of the engine's own token, of those in the configuration, and of everybody where no token is asked for. */
export function callerKeys({ token, tokens, none }: { readonly token?: string | undefined; readonly tokens: readonly NamedToken[]; readonly none: boolean }): CallerKeys {
  const named = tokens.map((one) => [one.name, `${one.role}${one.payloads ? '' : ' without payloads'} ${digestOf(one.token)}`] as const);
  return new Map([['local', token === undefined ? 'generated' : `admin ${digestOf(token)}`], ...named, ...none ? [['anybody', 'none'] as const] : []]);
}

/** SHA-256 as hex. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** None of a file that is not ours or was cut. */
function storedIn(text: string): readonly StoredSession[] {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) ? found.filter(isSession) : [];
  } catch {
    return [];
  }
}

function isSession(value: unknown): value is StoredSession {
  const { id, caller, key, until } = Object(value) as Partial<StoredSession>;
  return [id, key, caller?.name, caller?.role].every((text) => typeof text === 'string') && typeof until === 'number';
}
