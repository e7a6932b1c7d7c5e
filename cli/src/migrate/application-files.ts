import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const LEFT_OUT = /^(?:node_modules|python_modules|dist|build|coverage|venv|__pycache__|\..*)$/;
const SOURCE = /\.(?:[cm]?ts|tsx|[cm]?js|jsx|py)$/;

/** Sources of an application and the files beside `package.json` that configure it; relative, in the order of their names. */
export function applicationFiles(folder: string): readonly string[] {
  const found: string[] = [];
  const visit = (path: string): void => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && !LEFT_OUT.test(entry.name)) visit(name);
      else if (entry.isFile() && (SOURCE.test(name) || (path === '' && /\.ya?ml$|^(?:package|motia-workbench)\.json$/.test(name)))) found.push(name);
    }
  };
  visit('');
  return found.sort();
}
