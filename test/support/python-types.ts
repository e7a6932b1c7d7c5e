import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** What pyright, with the project's own settings, says of the Python files below a folder; empty when their types hold. */
export function pythonTypeProblems(folder: string): Promise<string> {
  const program = join(dirname(createRequire(import.meta.url).resolve('pyright/package.json')), 'index.js');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, '--project', folder], { cwd: folder }, (error, stdout, stderr) => resolve(error ? stdout + stderr : ''));
  });
}

/** Whether pyright is installed here. */
export function hasPyright(): boolean {
  try {
    createRequire(import.meta.url).resolve('pyright/package.json');
    return true;
  } catch {
    return false;
  }
}
