import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../architecture/workspace.js';
import type { Fence } from './markdown.js';

interface Manifest {
  readonly commands: Readonly<Record<string, { readonly flags: Readonly<Record<string, unknown>>; readonly args: Readonly<Record<string, { readonly required?: boolean }>> }>>;
}

/** What is wrong with the `treadle` commands of a shell fence: commands, options or arguments that do not exist. */
export function commandFaults(fence: Fence): readonly string[] {
  const { commands } = JSON.parse(readFileSync(join(ROOT, 'cli/oclif.manifest.json'), 'utf8')) as Manifest;
  return commandLines(fence.text).flatMap((line) => lineFaults(line, commands).map((fault) => `${fence.file}:${fence.line}: ${line}: ${fault}`));
}

function commandLines(text: string): readonly string[] {
  return text.split('\n').map((line) => line.replace(/\s+#.*$/, '')).map((line) => /(?:^|\s)treadle ((?:[a-z]+ ?)+.*)$/.exec(line)?.[1])
    .filter((line) => line !== undefined);
}

function lineFaults(line: string, commands: Manifest['commands']): readonly string[] {
  const words = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  const [id, length] = commands[`${words[0]}:${words[1]}`] ? [`${words[0]}:${words[1]}`, 2] : [`${words[0]}`, 1];
  const command = commands[id];
  if (!command) return ['there is no such command'];
  const unknown = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2)).filter((flag) => !(flag in command.flags));
  const most = Object.keys(command.args).length;
  const given = words.slice(length).findIndex((word) => word.startsWith('--'));
  const args = given < 0 ? words.length - length : given;
  return [...unknown.map((flag) => `no option --${flag}`), ...(args > most ? [`${args} arguments, but it takes ${most}`] : [])];
}
