/** Loaded by `node --import` before tests: lets them import TypeScript, as the Steps that they test do. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { registerLoader } from '@treadle/worker/loader';

const root = process.cwd();
const packages = join(root, 'node_modules');
await registerLoader({
  root, esbuild: createRequire(import.meta.url).resolve('esbuild'),
  ...existsSync(packages) && { cacheDir: join(packages, '.cache', 'treadle') },
});
