import { roleOfFile } from '../discover.js';
import type { DeclaredEnv } from './env-file.js';
import type { DeclaredSetup, SetupDefinition } from './setup-file.js';

/** What a process declares beside its Steps. */
export interface Declarations {
  readonly setups: readonly DeclaredSetup[];
  /** Of files that could be loaded. */
  readonly envs: readonly DeclaredEnv[];
  /** Files of the environment that could not be loaded, or may not be. */
  readonly lacking: readonly string[];
}

/** Schema of a file of the environment. */
export type DeclaredSchema = Omit<DeclaredEnv, 'file'>;

interface Loaded {
  readonly setup?: SetupDefinition | undefined;
  readonly env?: DeclaredSchema | undefined;
}

/** What files declare, as far as they could be loaded. */
export function declarationsOf(files: readonly string[], loaded: ReadonlyMap<string, Loaded>): Declarations {
  const of = (role: string): readonly string[] => files.filter((file) => roleOfFile(file) === role);
  const envs = of('env').flatMap((file) => {
    const env = loaded.get(file)?.env;
    return env ? [{ file, ...env }] : [];
  });
  return {
    setups: of('setup').map((file) => ({ file, definition: loaded.get(file)?.setup })),
    envs, lacking: of('env').filter((file) => !loaded.get(file)?.env),
  };
}
