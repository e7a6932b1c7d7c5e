import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Note } from './migration.js';

const LEFT_OUT = /^(?:node_modules|python_modules|dist|build|coverage|venv|__pycache__|\..*)$/;
const SOURCE = /\.(?:[cm]?ts|tsx|[cm]?js|jsx|py)$/;

/** What a migration reads. */
export interface ApplicationTexts {
  /** By the names of the files relative to the application's folder, in their order; with byte order marks and line ends as they are. */
  readonly texts: ReadonlyMap<string, string>;
  /** Files and folders that stay as they are, because they hold no UTF-8 or cannot be read. */
  readonly notes: readonly Note[];
}

/** The texts of the sources of an application, and of the files beside `package.json` that configure it. */
export function readApplication(folder: string): ApplicationTexts {
  const texts = new Map<string, string>();
  const notes: Note[] = [];
  const names: string[] = [];
  const attempt = (name: string, read: () => void): void => {
    try {
      read();
    } catch (error) {
      notes.push({ file: name, line: 1, reason: `it was not read: ${(error as Error).message}`, remedy: 'make it readable, then run the command again' });
    }
  };
  const visit = (path: string): void => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && !LEFT_OUT.test(entry.name)) attempt(name, () => visit(name));
      else if (entry.isFile() && (SOURCE.test(name) || (path === '' && /\.ya?ml$|^(?:package|motia-workbench)\.json$/.test(name)))) names.push(name);
    }
  };
  attempt('.', () => visit(''));
  for (const name of names.sort()) {
    attempt(name, () => {
      const bytes = readFileSync(join(folder, name));
      if (isUtf8(bytes)) texts.set(name, bytes.toString('utf8'));
      else notes.push({ file: name, line: 1, reason: 'it is not in UTF-8, and stays as it is', remedy: 'save it in UTF-8, then run the command again' });
    });
  }
  return { texts, notes };
}
