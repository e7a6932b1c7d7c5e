import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../architecture/workspace.js';

const made: string[] = [];

/** A fresh folder, removed when mocha ends. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'treadle-test-')));
  if (made.length === 0) process.once('exit', () => made.forEach((path) => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })));
  made.push(folder);
  return folder;
}

/** Path in the folder → text. */
export type Files = Readonly<Record<string, string>>;

export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** An application in a fresh folder that finds `treadle`, `zod` and the engine as if they were installed there. */
export function tempApplication(files: Files): string {
  const folder = tempFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  writeFiles(folder, { 'package.json': '{ "name": "app", "private": true, "type": "module" }\n', ...files });
  return folder;
}

/** A copy of a sample application, so that a test may write into it. */
export function copyOfSample(name: string): string {
  const folder = tempApplication({});
  const ignored = join(ROOT, 'test/apps', name, 'data');
  cpSync(join(ROOT, 'test/apps', name), folder, { recursive: true, filter: (path) => path !== ignored });
  return folder;
}
