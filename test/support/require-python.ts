import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findPython } from '@treadle/runtime-python';
import type { Context } from 'mocha';
import { requireOrSkip } from './requirement.js';
import { tempFolder } from './temp-folder.js';

/** Path of the interpreter that runs Steps; without one the test is skipped, in CI it fails. */
export async function requirePython(test: Context): Promise<string> {
  const found = await findPython({ root: tempFolder() });
  requireOrSkip(test, !('problem' in found), 'no Python 3.10 or later');
  return 'problem' in found ? '' : found.command;
}

/** A `PATH` on which there is Node.js and nothing else. */
export function pathWithoutPython(): string {
  const folder = join(tempFolder(), 'bin');
  mkdirSync(folder);
  symlinkSync(process.execPath, join(folder, 'node'));
  return folder;
}
