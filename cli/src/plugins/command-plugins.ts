import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Plugin } from '@oclif/core';
import { locateApplication } from '../application/application.js';
import { glanceAtConfig } from '../application/config-glance.js';
import { paint } from '../terminal/paint.js';
import { findPluginPackages, type PluginPackage } from './plugin-packages.js';

/** The start of a command line. */
export interface CommandStart {
  /** Folder of this package. */
  readonly root: string;
  readonly cwd: string;
  readonly argv: readonly string[];
}

/**
 * This tool's own commands and those that plugins of the application add, own ones first. A plugin whose commands
 * cannot be loaded is left out with a warning.
 */
export async function loadCommandPlugins(start: CommandStart): Promise<Map<string, Plugin>> {
  const own = await loadOwn(start.root);
  const plugins = new Map([[own.name, own]]);
  for (const found of await findPlugins(start)) {
    const plugin = await loadPlugin(found);
    if (plugin) plugins.set(plugin.name, plugin);
  }
  return plugins;
}

async function loadOwn(root: string): Promise<Plugin> {
  const pjson = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as NonNullable<Plugin['pjson']>;
  const plugin = new Plugin({ root, isRoot: true, pjson, name: pjson.name });
  await plugin.load();
  return plugin;
}

async function findPlugins({ cwd, argv }: CommandStart): Promise<readonly PluginPackage[]> {
  const application = locateApplication(cwd, configArgument(argv));
  const { plugins: listed } = await glanceAtConfig(application);
  return findPluginPackages({ ...application, listed });
}

async function loadPlugin({ name, folder }: PluginPackage): Promise<Plugin | undefined> {
  try {
    // "link": oclif takes the folder as it is, and gives own commands precedence.
    const plugin = new Plugin({ name, root: folder, type: 'link', errorOnManifestCreate: true });
    await plugin.load();
    return plugin;
  } catch (error) {
    warn(`the commands of ${name} cannot be loaded: ${firstLine(error)}`);
    return undefined;
  }
}

/** The value of `--config` before the command line is parsed: plugins decide which commands there are. */
function configArgument(argv: readonly string[]): string | undefined {
  for (const [index, argument] of argv.entries()) {
    if (argument === '--') return undefined;
    if (argument === '--config' || argument === '-c') return argv[index + 1];
    const inline = /^--config=(.+)$/.exec(argument);
    if (inline) return inline[1];
  }
  return undefined;
}

/** Prints a warning that has no place in a file. */
export function warn(text: string): void {
  process.stderr.write(`${paint(['bold', 'yellow'], 'warning', process.stderr)}: ${text}\n`);
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
