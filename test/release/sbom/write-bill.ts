import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { publicPackages } from '../packages.js';
import { bill } from './bill.js';
import { Lock } from './lock.js';
import { pagePackages } from './page-packages.js';
import { partsOf } from './parts.js';

const CONSOLE = '@treadle/console';

/** Writes what the packages of the checkout in the working directory consist of, by its lock file, and says where. */
export function writeBill(): string {
  const packages = publicPackages();
  const folders = new Map(packages.map(({ name, location }) => [relative(process.cwd(), location), name]));
  const page = new Map([...folders].filter(([, name]) => name === CONSOLE).map(([folder]) => [folder, pagePackages()]));
  const [{ version = '' } = {}] = packages;
  const file = `sbom/treadle-${version}.cdx.json`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(bill(version, packages.map(({ name }) => name), partsOf(new Lock('package-lock.json'), folders, page)), null, 2)}\n`);
  return file;
}
