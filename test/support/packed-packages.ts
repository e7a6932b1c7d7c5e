import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../architecture/workspace.js';
import { cleanEnvironment } from './engine-process.js';

/** Packs workspace packages as they would be published and unpacks them into an application's `node_modules`. */
export function installPacked(cwd: string, packages: Readonly<Record<string, string>>): void {
  for (const [name, folder] of Object.entries(packages)) {
    const said = execFileSync('npm', ['pack', join(ROOT, folder), '--json', '--silent', '--ignore-scripts'], { cwd, encoding: 'utf8', env: cleanEnvironment() });
    const [{ filename }] = JSON.parse(said) as [{ filename: string }];
    const target = join(cwd, 'node_modules', name);
    mkdirSync(target, { recursive: true });
    execFileSync('tar', ['-xzf', join(cwd, filename), '-C', target, '--strip-components=1']);
  }
}

/** Copies installed third-party packages; what they depend on has to be named as well. */
export function installCopies(cwd: string, names: readonly string[]): void {
  for (const name of names) cpSync(join(ROOT, 'node_modules', name), join(cwd, 'node_modules', name), { recursive: true });
}
