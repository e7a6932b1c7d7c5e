import type { Hook } from '@oclif/core';
import { hiddenCommands } from './hidden-commands.js';
import { warn } from './command-plugins.js';

/** Warns of each plugin command that cannot be reached because its name is taken; oclif would hide it silently. */
const clashHook: Hook.Init = ({ config }) => {
  for (const { command, plugin, hiddenBy } of hiddenCommands([...config.plugins.values()], config.name)) {
    warn(`command "${command}" of ${plugin} is hidden by ${hiddenBy}`);
  }
  return Promise.resolve();
};

export default clashHook;
