import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The secret that every session needs. @source product specification, section 10 */
export class WorkerToken {
  readonly value: string;
  private readonly digest: Buffer;
  private file: string | undefined;

  /** Without a configured value 192 random bits are used. */
  constructor(configured: string | undefined) {
    this.value = configured ?? randomBytes(24).toString('base64url');
    this.digest = sha256(this.value);
  }

  /** Takes the same time however much of the guess is right. */
  matches(guess: unknown): boolean {
    return typeof guess === 'string' && timingSafeEqual(sha256(guess), this.digest);
  }

  /** Writes `<dataDir>/worker.token` for processes of the same user; readers see the old or the new file, never half. */
  async publish(dataDir: string): Promise<void> {
    const file = join(dataDir, 'worker.token');
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, `${this.value}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, file);
    this.file = file;
  }

  async withdraw(): Promise<void> {
    if (this.file !== undefined) await rm(this.file, { force: true });
    this.file = undefined;
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
