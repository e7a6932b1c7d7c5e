import { mkdir, open, rm, rmdir, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What a command has made so far, so that it can take back that and nothing else. */
export class Made {
  private readonly folders: string[] = [];
  private readonly files: string[] = [];

  /** Makes a folder and those above it, where they lack. @throws Error when one cannot be made, or something else has its name */
  async folder(path: string, mode?: number): Promise<void> {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) return;
    if (dirname(path) !== path) await this.folder(dirname(path), mode);
    await mkdir(path, { mode });
    this.folders.push(path);
  }

  /** Opens a new file for writing. @throws Error when something of this name is there, or it cannot be made */
  async open(path: string, mode?: number): Promise<FileHandle> {
    const handle = await open(path, 'wx', mode);
    this.files.push(path);
    return handle;
  }

  /** Writes a new file, and makes the folders that it needs. @throws Error as the others do, or when it cannot be written */
  async write(path: string, text: string): Promise<void> {
    await this.folder(dirname(path));
    const handle = await this.open(path);
    await handle.writeFile(text).finally(() => handle.close());
  }

  /** Removes the files, and the folders in which nobody has put anything since. */
  async takeBack(): Promise<void> {
    await Promise.all(this.files.map((file) => rm(file, { force: true }).catch(() => undefined)));
    for (const folder of [...this.folders].reverse()) await rmdir(folder).catch(() => undefined);
  }
}
