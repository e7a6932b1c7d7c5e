import { mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import stepsPlugin from '@treadle/module-steps';
import { StepEngine, stepsOnly, writeFileBelow } from '@treadle/testing';
import runtimePlugin from './index.js';

export { isAlive, stepFailure as failure, stepRequest as request, stepsOnly as configFile, until } from '@treadle/testing';

const SDK = dirname(dirname(fileURLToPath(import.meta.resolve('treadle'))));

export interface StartOptions {
  /** Path relative to the root → content. */
  readonly files: Readonly<Record<string, string>>;
  /** YAML of the `config` of StepsModule, one line. */
  readonly config?: string;
  readonly mode?: 'development' | 'production';
}

/** Starts an engine with StepsModule and the runtimes of this package, in a fresh folder. */
export async function startEngine(options: StartOptions): Promise<StepEngine> {
  return new StepEngine(await makeApplication(options), [stepsPlugin, runtimePlugin]).start(options.mode);
}

/** Writes an application with a configuration that loads only StepsModule. */
export async function makeApplication({ files, config = '{ port: 0 }' }: StartOptions): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'treadle-node-'));
  for (const [file, text] of Object.entries(files)) await writeFileBelow(root, file, text);
  await mkdir(join(root, 'node_modules'));
  await symlink(SDK, join(root, 'node_modules/treadle'));
  await writeFileBelow(root, 'config.yaml', stepsOnly(config));
  return root;
}

/** A Step file whose handler has this body. */
export function stepFile(name: string, body: string, path = `/${name}`): string {
  return `import { step, http } from 'treadle';\n`
    + `export default step({ name: '${name}', triggers: [http('GET', '${path}')] }, async (input, ctx) => { ${body} });\n`;
}
