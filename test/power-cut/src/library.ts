import { execFileSync, spawnSync } from 'node:child_process';
import { platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '../../support/temp-folder.js';

const SOURCE = fileURLToPath(new URL('undo-log.c', import.meta.url));
let built: string | undefined;

/** True where the library can be built and preloaded: Linux with gcc. */
export function canCutPower(): boolean {
  return platform() === 'linux' && spawnSync('gcc', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Builds the preloaded library in a temporary folder, once per process. @throws Error with what gcc says */
export function undoLibrary(): string {
  if (built) return built;
  const target = join(tempFolder(), 'undo-log.so');
  execFileSync('gcc', ['-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', '-o', target, SOURCE, '-ldl', '-lpthread'], { encoding: 'utf8' });
  built = target;
  return target;
}
