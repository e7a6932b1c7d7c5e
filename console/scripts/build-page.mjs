// Builds the page into app-dist, its assets in two compressed forms and no other, when anything that goes into it changed. `--force` builds in any case.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(folder);
const target = join(folder, 'app-dist');
/** Digest of what the page was built from. */
const RECORD = join(target, 'built-from.txt');
const SOURCES = [join(folder, 'app'), join(folder, 'package.json'), fileURLToPath(import.meta.url), join(root, 'node_modules/.package-lock.json')];

const digest = digestOf(SOURCES.flatMap(filesOf));
if (process.argv.includes('--force') || !existsSync(RECORD) || readFileSync(RECORD, 'utf8') !== digest) await buildPage();

async function buildPage() {
  await build({ root: join(folder, 'app'), configFile: join(folder, 'app/vite.config.ts'), logLevel: 'warn' });
  for (const file of filesOf(join(target, 'assets'))) {
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }));
    rmSync(file);
  }
  writeFileSync(RECORD, digest);
}

function filesOf(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort();
}

function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}
