import { createRequire } from 'node:module';
import { join } from 'node:path';
import { treadleError } from '@treadle/api';
import { CLI_ROOT } from '../../version.js';
import type { TypeScript } from './script-text.js';

/**
 * TypeScript's parser, which reads JavaScript as well: that of the application, else one that lies beside this tool.
 * @throws {USAGE} when neither has it; TypeScript 7 and later have none for other programs
 */
export async function loadTypeScript(folder: string): Promise<TypeScript> {
  for (const from of [folder, CLI_ROOT]) {
    const found = load(from);
    if (found) return found;
  }
  throw treadleError('USAGE', {
    message: 'the package "typescript" is needed to read the Steps, in a version before 7',
    hint: 'run "npm install --no-save typescript@5" in the application\'s folder, then the command again',
  });
}

function load(folder: string): TypeScript | undefined {
  try {
    const found = createRequire(join(folder, 'package.json'))('typescript') as Partial<TypeScript>;
    return typeof found.createSourceFile === 'function' ? found as TypeScript : undefined;
  } catch {
    // Not installed there.
    return undefined;
  }
}
