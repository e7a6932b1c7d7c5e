import type { Hook } from '@oclif/core';

/** Refuses a command that does not exist, with the nearest one that does. @throws {USAGE} always */
const notFoundHook: Hook.CommandNotFound = async ({ id, config }) => {
  const { commandNotFound } = await import('../usage-error.js');
  throw commandNotFound(id, config.commandIDs);
};

export default notFoundHook;
