import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { treadleError } from './errors.js';
import { learnSecrets } from './redaction/known-secrets.js';

/** Secret of the admin API: the text of a file as `SecretToken` writes it, around which white space does not count. Empty: there is none. */
export const ADMIN_TOKEN_FILE = 'admin.token';

/** Names of what `publish` leaves behind of a file `<name>.token` when it is killed. */
export const SECRET_TOKEN_DRAFT = /^[a-z]+\.token\.\d+$/;

/** A secret that clients of the same user find in a file of the data directory. */
export class SecretToken {
  readonly value: string;
  private readonly digest: Buffer;
  private file: string | undefined;

  /** `name`: of the file. Without a configured value 192 random bits are used. */
  constructor(private readonly name: string, configured: string | undefined) {
    this.value = configured ?? randomBytes(24).toString('base64url');
    if (configured !== undefined) keepFromSteps(configured);
    this.digest = sha256(this.value);
  }

  /** Takes the same time however much of the guess is right. */
  matches(guess: unknown): boolean {
    return typeof guess === 'string' && timingSafeEqual(sha256(guess), this.digest);
  }

  /** Writes the file, for this user alone; readers see the old or the new one, never half. @throws {FILE_NOT_WRITABLE} */
  async publish(dataDir: string): Promise<void> {
    const file = join(dataDir, this.name);
    const draft = `${file}.${process.pid}`;
    try {
      await writeFile(draft, `${this.value}\n`, { mode: 0o600 });
      await chmod(draft, 0o600);
      await rename(draft, file);
    } catch (cause) {
      throw treadleError('FILE_NOT_WRITABLE', { file, reason: (cause as Error).message }, { cause });
    }
    this.file = file;
  }

  /** Removes the file if it was written. */
  async withdraw(): Promise<void> {
    if (this.file !== undefined) await rm(this.file, { force: true });
    this.file = undefined;
  }
}

/** Shortest secret that is looked for by its value: what is shorter is the value of other variables, too. */
const LEAST_LENGTH = 8;

/** Whatever the variable that it came in was called: no log shows it, and `@treadle/worker` leaves it out of the environment of Step processes. */
function keepFromSteps(secret: string): void {
  if (secret.length < LEAST_LENGTH) return;
  learnSecrets({ ENGINE_TOKEN: secret });
  const shared = globalThis as { [ENGINE_SECRET_VALUES]?: Set<string> };
  (shared[ENGINE_SECRET_VALUES] ??= new Set()).add(secret);
}

/** One per process; the workers' package, which does not know this one, finds it by its name. */
const ENGINE_SECRET_VALUES = Symbol.for('treadle.engine-secret-values');

/** Shortest token that guards an address which other machines can reach. */
export const LEAST_TOKEN_LENGTH = 16;

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
