// npm run record:first-hour: writes docs/first-hour.md from what was typed and printed, with packages of this checkout out of a local registry.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@treadle/testing';
import { ROOT } from '../architecture/workspace.js';
import { LocalRegistry } from '../registry/local-registry.js';
import { publishWorkspace } from '../registry/publish-workspace.js';
import { tempFolder } from '../support/temp-folder.js';
import { LANGUAGES } from './combination.js';
import { type Chapter, firstHour } from './first-hour.js';
import { stopAllUserProcesses } from './user-process.js';

const NAMES = { ts: 'TypeScript', js: 'JavaScript', py: 'Python' } as const;
const registry = await LocalRegistry.start();
const pages = new Map<string, string>();
try {
  await publishWorkspace(registry);
  // Beside each other they are slower, and the page says so by its load.
  await Promise.all(LANGUAGES.map(async (language) => {
    const folder = tempFolder();
    const home = tempFolder();
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    const chapters = await firstHour({ language, folder, env: registry.environment(home), ports });
    pages.set(language, `## ${NAMES[language]}\n\n${chapters.map(written).join('\n\n')}`.replaceAll(folder, '/srv').replaceAll(registry.url, 'https://registry.npmjs.org/').replaceAll(/\/[^\s"]*\/(bin\/python3)/g, '/usr/$1'));
    writePage();
    console.log(`${NAMES[language]}: ${chapters.length} chapters`);
  }));
} finally {
  await stopAllUserProcesses();
  await registry.stop();
}

function writePage(): void {
  const python = execFileSync('python3', ['--version'], { encoding: 'utf8' }).trim();
  writeFileSync(join(ROOT, 'docs/first-hour.md'), `# The first hour, as it was typed

What a terminal showed from an empty folder to a restored backup, in three languages: create, answer, change, mistake, test, build, production,
backup and restore, and Step processes that take turns under requests (that loop began before the second process and was written down at its end). \`npm run record:first-hour\` types all of it again and writes this page; nothing is edited but the name of the
folder. \`# 1.2 s\` is how long the command above took until what is shown was there; \`&\` marks what goes on beside the next commands. \`PORT\`, \`WORKER_PORT\` and
\`CONSOLE_PORT\` were set to free ports.

Recorded with Node.js ${process.version} and ${python}, an empty npm cache, and a load of ${loadavg()[0]?.toFixed(0)} on 2 processors.

${LANGUAGES.flatMap((language) => pages.get(language) ?? []).join('\n\n')}
`);
}

function written({ title, lines }: Chapter): string {
  return `### ${title}\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\``;
}
