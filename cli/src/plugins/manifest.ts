import { Plugin, settings } from '@oclif/core';

/**
 * Text of `oclif.manifest.json`: the commands' help and flags as data, in a fixed order.
 * @param root folder of the package, with its built commands
 * @throws when a command cannot be loaded
 */
export async function buildManifest(root: string): Promise<string> {
  settings.enableAutoTranspile = false;
  const plugin = new Plugin({ root, isRoot: true, ignoreManifest: true, errorOnManifestCreate: true, name: '@treadle/cli' });
  await plugin.load();
  const commands = Object.fromEntries(Object.entries(plugin.manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ commands, version: plugin.manifest.version }, null, 2)}\n`;
}
