import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { treadleError } from '@treadle/api';
import { PYTHON_PATH } from '@treadle/runtime-python';
import { isPythonStep, type StepFileReport } from '@treadle/worker';

/** Folders whose Python files go into a build as a whole: modules may be imported by names that are made up. */
const FOLDERS = ['steps', 'src'];
const SKIPPED = new Set(['node_modules', 'dist', '__pycache__']);
/** Folder of the Python package in a build. */
const SDK_FOLDER = 'python';

/** What becomes of the Python Steps. */
export interface PythonFiles {
  /** Content by path relative to the build: bytes, as a file may be in another encoding than UTF-8. */
  readonly outputs: ReadonlyMap<string, Buffer>;
  /** Sources that went in, relative to the root, sorted. */
  readonly sources: readonly string[];
}

/**
 * The Python files of an application and the package `treadle`, as they are. Besides `steps` and `src` goes in what the
 * Steps import from elsewhere in the application.
 */
export async function pythonFiles(root: string, reports: readonly StepFileReport[]): Promise<PythonFiles> {
  const steps = reports.filter(({ file }) => isPythonStep(file));
  if (steps.length === 0) return { outputs: new Map(), sources: [] };
  const found = (await Promise.all(FOLDERS.map((folder) => pythonFilesIn(root, folder)))).flat();
  const imported = steps.flatMap(({ imports = [] }) => imports).filter((file) => file.endsWith('.py') && !file.startsWith('..'));
  const sources = [...new Set([...found, ...imported, ...await packageFiles(root, imported)])].sort();
  const sdk = await pythonFilesIn(PYTHON_PATH, 'treadle');
  return { sources, outputs: new Map([...await contents(root, sources), ...await contents(PYTHON_PATH, sdk, `${SDK_FOLDER}/`)]) };
}

async function contents(folder: string, files: readonly string[], prefix = ''): Promise<readonly (readonly [string, Buffer])[]> {
  return Promise.all(files.map(async (file) => [`${prefix}${file}`, await readFile(join(folder, file))] as const));
}

/** All Python files below a folder, relative to `root`, sorted; none when there is no such folder. A build without what cannot be read would fail where it runs. */
async function pythonFilesIn(root: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw treadleError('BUILD_FAILED', { reason: `${folder}/ cannot be read: ${error.message}` }, { cause: error });
  });
  const found = await Promise.all(entries.map(async (entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) return [];
    if (entry.isDirectory()) return pythonFilesIn(root, path);
    return entry.name.endsWith('.py') ? [path] : [];
  }));
  return found.flat().sort();
}

/** The `__init__.py` of the packages that modules are in. */
async function packageFiles(root: string, modules: readonly string[]): Promise<readonly string[]> {
  const folders = new Set(modules.flatMap((module) => parents(dirname(module))));
  const files = await Promise.all([...folders].map(async (folder) => {
    const file = `${folder}/__init__.py`;
    return await readFile(join(root, file)).then(() => [file], () => []);
  }));
  return files.flat();
}

function parents(folder: string): readonly string[] {
  return folder === '.' ? [] : [folder, ...parents(dirname(folder))];
}
