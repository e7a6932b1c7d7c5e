import { readFileSync } from 'node:fs';

/** An entry of `packages` in package-lock.json. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  /** Folder of a workspace that this stands for. */
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** What a package needs when it is installed. */
export interface Need {
  readonly name: string;
  /** Installed where it can be, e.g. on one platform. */
  readonly optional: boolean;
}

/** A package-lock.json, asked as Node.js would look for packages. */
export class Lock {
  private readonly packages: Readonly<Record<string, LockedPackage>>;

  constructor(file: string) {
    ({ packages: this.packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Readonly<Record<string, LockedPackage>> });
  }

  /** @throws Error when there is none at this place, e.g. `node_modules/ws` or `core/api` */
  at(place: string): LockedPackage {
    const found = this.packages[place];
    if (!found) throw new Error(`package-lock.json has no ${place}; run npm install`);
    return found;
  }

  /** Where a package finds another one; of a workspace its folder. Undefined when it is not locked. */
  find(name: string, from: string): string | undefined {
    for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
      const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      const found = this.packages[place];
      if (found) return found.link ? found.resolved : place;
      if (folder === '') return undefined;
    }
  }
}

/** Without what only developers of the package need, and without peers that may be missing. */
export function needsOf({ dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: LockedPackage): readonly Need[] {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  const needed = [...Object.keys(dependencies), ...peers].filter((name) => !(name in optionalDependencies));
  return [...needed.map((name) => ({ name, optional: false })), ...Object.keys(optionalDependencies).map((name) => ({ name, optional: true }))];
}
