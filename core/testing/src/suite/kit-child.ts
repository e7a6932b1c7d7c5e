import { type ChildProcess, fork, type StdioOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { HarnessOptions } from '../adapter-harness.js';
import { builtFile } from './built-file.js';

/** What compiles TypeScript while it is loaded: it costs a process more than half of its start. */
const COMPILER = /^--import=tsx(?:\/|$)/;

/**
 * Starts an engine of a kit in a process of its own, with options as JSON in its first argument and the Node options of this one. Where the plugin's source is built it loads that, and
 * does without the compiler.
 * @param child URL of what to run
 */
export function forkKitChild(child: URL, options: HarnessOptions, stdio: StdioOptions): ChildProcess {
  const plugin = builtFile(options.plugin);
  // Of a kit that is run from its own source there is no such file.
  const program = existsSync(child) ? child.href : builtFile(child.href);
  if (plugin === undefined || program === undefined) return fork(child, [JSON.stringify(options)], { stdio });
  return fork(new URL(program), [JSON.stringify({ ...options, plugin })], { stdio, execArgv: process.execArgv.filter((option) => !COMPILER.test(option)) });
}
