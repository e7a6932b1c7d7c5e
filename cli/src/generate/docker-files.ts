import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { treadleError } from '@treadle/api';
import { discoverStepFiles } from '@treadle/worker';
import { detectPackageManager, type PackageManager } from '../application/package-manager.js';
import { writeNew } from '../files/write-new.js';
import { CLI_ROOT } from '../version.js';

/** The files of the deployment page. */
const SOURCES = join(CLI_ROOT, 'dist', 'docs-pages', 'deploy');
const FILES = ['Dockerfile', '.dockerignore', 'compose.yaml'] as const;

/** How a package manager says what the lines of the Dockerfile say for npm. */
const IN_OTHER_WORDS: Readonly<Partial<Record<PackageManager, readonly (readonly [npm: string, other: string])[]>>> = {
  npm: [],
  pnpm: [
    ['COPY package*.json ./', 'COPY package.json pnpm-lock.yaml ./'], ['RUN npm ci', 'RUN npm install --global pnpm@10 && pnpm install --frozen-lockfile'],
    ['RUN npx treadle build && npm prune --omit=dev', 'RUN pnpm exec treadle build && CI=true pnpm prune --prod'],
  ],
  yarn: [
    ['COPY package*.json ./', 'COPY package.json yarn.lock ./'], ['RUN npm ci', 'RUN yarn install --frozen-lockfile'],
    ['RUN npx treadle build && npm prune --omit=dev', 'RUN yarn treadle build && yarn install --frozen-lockfile --production'],
  ],
};
const WORKDIR = 'WORKDIR /app\n';
/** The build loads the Steps as well, to check them. */
const PYTHON = 'RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*\n';
const REQUIREMENTS = 'COPY requirements.txt ./\nRUN python3 -m venv .venv && .venv/bin/pip install --no-cache-dir -r requirements.txt\n';
const IGNORED = '.venv\n__pycache__\n';

/**
 * Writes what makes an image of an application: `Dockerfile`, `.dockerignore` and `compose.yaml`, for its package manager and languages.
 * @param root absolute
 * @throws {USAGE} when one of the files exists, or for a package manager that no image is known for
 * @throws {FILE_NOT_WRITABLE}
 */
export async function writeDockerFiles(root: string): Promise<readonly string[]> {
  const manager = detectPackageManager(root);
  const words = IN_OTHER_WORDS[manager];
  if (words === undefined) {
    throw treadleError('USAGE', { message: `no Dockerfile is known for ${manager}`, hint: '"treadle docs deployment" shows the one for npm, which you can adapt' });
  }
  const contents: Record<string, string> = {};
  for (const file of FILES) contents[file] = await readFile(join(SOURCES, file), 'utf8');
  contents['Dockerfile'] = words.reduce((text, [npm, other]) => replaced(text, npm, other), contents['Dockerfile'] ?? '');
  if ((await discoverStepFiles(root)).some(({ file }) => file.endsWith('.py'))) withPython(contents, existsSync(join(root, 'requirements.txt')));
  await writeNew(root, contents);
  return FILES;
}

function withPython(contents: Record<string, string>, hasRequirements: boolean): void {
  const text = (contents['Dockerfile'] ?? '').replaceAll(WORKDIR, WORKDIR + PYTHON);
  // The second stage gets the environment from the first.
  contents['Dockerfile'] = hasRequirements ? replaced(text, WORKDIR + PYTHON, WORKDIR + PYTHON + REQUIREMENTS) : text;
  contents['.dockerignore'] = (contents['.dockerignore'] ?? '') + IGNORED;
}

/** The first occurrence, which has to be there: the file is our own. */
function replaced(text: string, what: string, by: string): string {
  if (!text.includes(what)) throw new Error(`the Dockerfile of the documentation has no line "${what}"`);
  return text.replace(what, () => by);
}
