// Makes dist/bundle: the engine's program, what the command line takes of the engine, the engine for tests and the program of its Node.js Step processes, each in a few files instead
// of some hundred, for at a start nearly all time goes into finding and reading small files. Runs after the build and does
// nothing when nothing that went in changed since. `--force` bundles in any case.
import { createRequire } from 'node:module';
import { mkdirSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BUILT_FROM, BUNDLE, isCurrent } from '../bin/bundle.js';
import { notices } from './notices.mjs';
import { placedText } from './places.mjs';

const engine = dirname(dirname(fileURLToPath(import.meta.url)));
const worker = dirname(dirname(createRequire(import.meta.url).resolve('@treadle/worker')));

/** What a start needs of what the packages load on demand. The rest, koa above all, stays where it is installed. */
const NEEDED_AT_START = ['../package.json', 'find-my-way', 'ajv/dist/2020', 'ajv-formats/dist/formats'];
/** Shared with plugins and Steps, which import them on their own. */
const SHARED = ['@treadle/api', 'treadle'];
/** Programs that are found by their place beside the file that starts them; in the bundle they are beside it, too. */
const PROGRAMS = ['child-main', 'loading/hooks', 'session/heartbeat-thread'];
/** As the file beside it names a program. */
const besideIt = (name) => `./${basename(name)}.js`;

if (process.argv.includes('--force') || !isCurrent()) await bundle();

async function bundle() {
  const target = dirname(fileURLToPath(new URL('main.js', BUNDLE)));
  const fresh = `${target}.${process.pid}`;
  try {
    const inputs = [
      // What both have in common is there once.
      ...await bundleInto(fresh, { main: join(engine, 'dist/main.js'), index: join(engine, 'dist/index.js'), testing: join(engine, 'dist/testing/index.js'), 'testing-remote': join(engine, 'dist/testing/remote/remote-kit.js') }),
      // Each of these is started by itself; chunks in common would be more files to read.
      ...(await Promise.all(PROGRAMS.map((name) => bundleInto(fresh, { [basename(name)]: join(worker, `dist/${name}.js`) })))).flat(),
    ];
    mkdirSync(fresh, { recursive: true });
    writeFileSync(join(fresh, 'THIRD-PARTY-NOTICES.txt'), notices(inputs));
    writeFileSync(join(fresh, BUILT_FROM), `${JSON.stringify(buildRecords(inputs, target), null, 2)}\n`);
    rmSync(target, { recursive: true, force: true });
    renameSync(fresh, target);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Returns the absolute paths of all files that went in. */
async function bundleInto(outdir, entryPoints) {
  const { metafile } = await build({
    entryPoints, outdir, bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20.19',
    external: SHARED, metafile: true, tsconfigRaw: {}, absWorkingDir: engine, logLevel: 'warning', plugins: [{ name: 'places', setup: keepPlaces }],
    banner: { js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);" },
  });
  return Object.keys(metafile.inputs).map((file) => join(engine, file));
}

/** Our files keep finding what lies beside them, and the dependencies of their own package. */
function keepPlaces({ onLoad }) {
  onLoad({ filter: /[/\\]dist[/\\].*\.js$/ }, ({ path }) => {
    if (path.includes('node_modules')) return undefined;
    const text = readFileSync(path, 'utf8');
    if (!text.includes('import.meta')) return undefined;
    return { contents: placedText(text, { needed: NEEDED_AT_START, programs: PROGRAMS.map(besideIt), place: placeOf(path) }), loader: 'js' };
  });
}

/** An expression for the URL that a file has where it is installed. */
function placeOf(path) {
  const folder = packageFolder(path);
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `(new URL(${JSON.stringify(relative(folder, path))}, import.meta.resolve('${name}/package.json')).href)`;
}

/** What changes with what went in, relative to the bundle: a file of the compiler for each package, npm's own, and the scripts that made it. */
function buildRecords(inputs, target) {
  const own = inputs.filter((file) => !file.includes('node_modules'));
  const records = new Set(own.map((file) => join(packageFolder(file), 'dist/.tsbuildinfo')));
  records.add(join(engine, '../../node_modules/.package-lock.json')).add(fileURLToPath(import.meta.url)).add(fileURLToPath(new URL('places.mjs', import.meta.url)));
  return [...records].map((file) => relative(target, file)).sort();
}

function packageFolder(path) {
  const folder = dirname(path);
  return existsSync(join(folder, 'package.json')) ? folder : packageFolder(folder);
}
