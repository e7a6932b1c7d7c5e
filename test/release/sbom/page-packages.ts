import { readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { importsOf } from '../../architecture/source-imports.js';
import { ROOT } from '../../architecture/workspace.js';

/** Where the page of the console is written; what it imports is built into the package. */
const PAGE = 'console/app/src';

/** Names of packages whose code is in the page. */
export function pagePackages(): readonly string[] {
  const files = readdirSync(join(ROOT, PAGE), { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test|\.fixture)\.tsx?$/.test(file));
  const specifiers = files.flatMap((file) => importsOf(`${PAGE}/${file}`)).filter(({ typeOnly }) => !typeOnly).map(({ specifier }) => specifier);
  const outside = specifiers.filter((specifier) => !/^[./]/.test(specifier) && !isBuiltin(specifier));
  return [...new Set(outside.map((specifier) => specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/')))].sort();
}
