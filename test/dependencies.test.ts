import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT, workspacePackages } from './architecture/workspace.js';

/** An entry of `packages` in package-lock.json. */
interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

/** Licences that let anybody ship what users install. */
const LICENSES = /^\(?(?:MIT|MIT-0|ISC|0BSD|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|BlueOak-1\.0\.0|CC0-1\.0|PSF-2\.0|Unlicense)(?: OR .*)?\)?$/;
/** Their manifests have the older form of the field; both are MIT. */
const MIT_OF_OLD: ReadonlySet<string> = new Set(['busboy', 'streamsearch']);

describe('dependencies', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Readonly<Record<string, Locked>> };
  const { allowScripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { allowScripts: Readonly<Record<string, boolean>> };
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, locked]) => ({ ...locked, path, name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length) }));
  /** What comes with the packages that users install. */
  const shipped = installed.filter(({ dev }) => !dev);

  it('are locked by their content, without download addresses', () => {
    expect(installed.filter(({ integrity }) => !integrity?.startsWith('sha512-')).map(({ path }) => path)).to.deep.equal([]);
    expect(installed.filter(({ resolved }) => resolved !== undefined).map(({ path }) => path)).to.deep.equal([]);
  });

  it('run no script when they are installed, but for those that build what is native', () => {
    expect(installed.filter(({ hasInstallScript, name }) => hasInstallScript && !allowScripts[name]).map(({ path }) => path)).to.deep.equal([]);
  });

  it('may be shipped by anybody', () => {
    const faults = shipped.filter(({ name, license = '' }) => !LICENSES.test(license) && !MIT_OF_OLD.has(name));
    expect(faults.map(({ path, license }) => `${path}: ${license}`)).to.deep.equal([]);
  });

  it('are none of the versions that are known to be bad', () => {
    const versions = (name: string): readonly (readonly [number, number])[] => shipped.filter((one) => one.name === name)
      .map(({ version = '' }) => { const [major = 0, minor = 0] = version.split('.').map(Number); return [major, minor] as const; });
    // Before 8.23 a client may ask ws for more memory than it sends.
    for (const [major, minor] of versions('ws')) expect(major > 8 || (major === 8 && minor >= 23), `ws ${major}.${minor}`).to.equal(true);
    // 13 installs on Node.js 20 and ends the process there.
    for (const [major] of versions('better-sqlite3')) expect(major).to.be.lessThan(13);
  });

  it('are used without what makes schemas from data: ajv with $data', () => {
    const sources = workspacePackages().flatMap(({ sources: files }) => files).filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('$data'));
    expect(sources).to.deep.equal([]);
  });
});
