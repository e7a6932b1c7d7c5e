import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stepsPlugin from '@treadle/module-steps';
import { StepEngine, stepsOnly, writeFileBelow } from '@treadle/testing';
import runtimePlugin from './index.js';

export { isAlive, stepFailure as failure, stepRequest as request, until } from '@treadle/testing';

export interface StartOptions {
  /** Path relative to the root → content. */
  readonly files: Readonly<Record<string, string>>;
  /** YAML of the `config` of StepsModule, one line. */
  readonly config?: string;
  readonly mode?: 'development' | 'production';
}

const PYTHON_ONLY = '{ port: 0, runtimes: [{ class: \'modules::runtime::adapters::Python\' }] }';

/** Starts an engine with StepsModule and the Python runtime, in a fresh folder. */
export async function startEngine(options: StartOptions): Promise<StepEngine> {
  return new StepEngine(await makeApplication(options), [stepsPlugin, runtimePlugin]).start(options.mode);
}

/** Writes an application with a configuration that loads only StepsModule. */
export async function makeApplication({ files, config = PYTHON_ONLY }: StartOptions): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'treadle-python-'));
  for (const [file, text] of Object.entries(files)) await writeFileBelow(root, file, text);
  await writeFileBelow(root, 'config.yaml', stepsOnly(config));
  return root;
}

/** A Step file whose handler, `async def` unless said otherwise, has this body, one statement a line. */
export function stepFile(name: string, body: string, { def = 'async def', before = '', more = '' } = {}): string {
  const indented = body.split('\n').map((line) => `    ${line}`).join('\n');
  return `${before}\nconfig = {"name": "${name}", "triggers": [{"type": "http", "method": "GET", "path": "/${name}"}]${more}}\n\n\n`
    + `${def} handler(input, ctx):\n${indented}\n`;
}
