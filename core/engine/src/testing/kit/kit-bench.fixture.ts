import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Step } from 'treadle';
import { createTestEngine, type TestEngine, type TestEngineOptions } from '../index.js';

const MODULES = fileURLToPath(new URL('../../../../../node_modules', import.meta.url));

/** Steps with whatever type of config, as one list. */
export const steps = (...list: readonly { readonly config: unknown }[]): readonly Step[] => list as readonly Step[];

/** What a promise was rejected with. @throws Error when it was not */
export const failure = (promise: Promise<unknown>): Promise<Error> => promise.then(
  () => { throw new Error('expected a failure'); }, (error: unknown) => error as Error);

/** Test engines and folders of one test, ended and removed together. */
export class KitBench {
  private readonly running: TestEngine[] = [];
  private readonly folders: string[] = [];

  async start(options: TestEngineOptions): Promise<TestEngine> {
    const app = await createTestEngine(options);
    this.running.push(app);
    return app;
  }

  /** A folder of an application with these files. */
  folder(files: Readonly<Record<string, string>>): string {
    const root = mkdtempSync(join(tmpdir(), 'treadle-kit-'));
    this.folders.push(root);
    symlinkSync(MODULES, join(root, 'node_modules'));
    for (const [file, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return root;
  }

  async end(): Promise<void> {
    await Promise.all(this.running.splice(0).map((app) => app.stop()));
    for (const root of this.folders.splice(0)) rmSync(root, { recursive: true, force: true });
  }
}
