// The licences of the packages whose code is in the bundle; most of them ask for it wherever the code goes.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE = /^(licen[cs]e|copying|notice)(\.|-|$)/i;
const MODULES = '/node_modules/';

/** Text for a file beside the bundle. @param {readonly string[]} inputs absolute paths of all files that went in */
export function notices(inputs) {
  const folders = new Set(inputs.map((file) => file.replaceAll('\\', '/')).filter((file) => file.includes(MODULES)).map(packageFolder));
  const parts = [...folders].map(notice).sort();
  return `Code of these packages is part of this program.\n\n${[...new Set(parts)].join('\n')}`;
}

/** The folder below the last node_modules; a package may have further package.json files inside. */
function packageFolder(file) {
  const start = file.lastIndexOf(MODULES) + MODULES.length;
  const names = file.slice(start).split('/').slice(0, file[start] === '@' ? 2 : 1);
  return join(file.slice(0, start), ...names);
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder).filter((file) => LICENCE.test(file)).sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `--- ${name} ${version} (${license}) ---\n\n${texts.join('\n\n')}\n`;
}
