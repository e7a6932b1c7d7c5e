import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { treadleError } from './errors.js';

/** A secret that clients of the same user find in a file of the data directory. */
export class SecretToken {
  readonly value: string;
  private readonly digest: Buffer;
  private file: string | undefined;

  /** `name`: of the file. Without a configured value 192 random bits are used. */
  constructor(private readonly name: string, configured: string | undefined) {
    this.value = configured ?? randomBytes(24).toString('base64url');
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

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
