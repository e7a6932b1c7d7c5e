import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import type { Plugin } from 'esbuild';
import { NODE_TARGET } from './bundle-handlers.js';

/** Folder of the Step process in the build: `dist/worker`. */
const FOLDER = 'worker';
/** Optional companions of ws, compiled for one machine. */
const NATIVE = ['bufferutil', 'utf-8-validate'];
/** Where a package was installed when it was bundled; the same build is made wherever that is. */
const INSTALLED_AT = /(__commonJS\(\{")(?:[^"]*\/)?node_modules\//g;
const BANNER = "import { createRequire as __treadleRequire } from 'node:module'; const require = __treadleRequire(import.meta.url);";

/**
 * The Step process as it goes into a build, by path relative to it: in files of its own and with all that it needs, so that
 * nothing but the application's packages has to be installed where it runs.
 */
export async function bundleWorker(): Promise<ReadonlyMap<string, string>> {
  const { build } = await import('esbuild');
  const worker = dirname(createRequire(import.meta.url).resolve('@treadle/worker/package.json'));
  const { outputFiles } = await build({
    entryPoints: { main: join(worker, 'dist/production-main.js'), 'heartbeat-thread': join(worker, 'dist/session/heartbeat-thread.js') },
    absWorkingDir: worker, outdir: join(worker, FOLDER), bundle: true, format: 'esm', platform: 'node', target: `node${NODE_TARGET}`,
    external: NATIVE, minifyWhitespace: true, minifySyntax: true, keepNames: true, charset: 'utf8', legalComments: 'none', banner: { js: BANNER },
    logLevel: 'silent', write: false, tsconfigRaw: {}, plugins: [knownVersion(worker)],
  });
  const files = outputFiles.map(({ path, text }) => [relative(worker, path).split(sep).join('/'), text.replace(INSTALLED_AT, '$1')] as const);
  // Whatever the application's package.json says of its own files.
  return new Map([...files, [`${FOLDER}/package.json`, '{ "type": "module" }\n'] as const].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The package reads its version from a file that is not there any more. */
function knownVersion(worker: string): Plugin {
  const { version } = JSON.parse(readFileSync(join(worker, 'package.json'), 'utf8')) as { version: string };
  return {
    name: 'treadle-version',
    setup({ onLoad }) {
      onLoad({ filter: /[/\\]dist[/\\]version\.js$/ }, ({ path }) => (path === join(worker, 'dist/version.js')
        ? { contents: `export const SDK_VERSION = ${JSON.stringify(version)};`, loader: 'js' } : undefined));
    },
  };
}
