import { runCommand, type PackageManager } from '../application/package-manager.js';
import { paint, type TerminalStream } from '../terminal/paint.js';

/** What came of `create`. */
export interface CreatedProject {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  readonly language: string;
  readonly template: string;
  /** Sorted. */
  readonly files: readonly string[];
  readonly git: boolean;
  readonly installed: boolean;
  readonly packageManager: PackageManager;
  /** Commands to type now. */
  readonly next: readonly string[];
}

/** The commands that lead from a new project to its first answer. */
export function nextCommands(name: string, manager: PackageManager, installed: boolean): readonly string[] {
  return [`cd ${name}`, ...(installed ? [] : [`${manager} install`]), runCommand(manager, 'dev')];
}

/** What `create` prints at the end. */
export function formatCreated(project: CreatedProject, stream: TerminalStream): string {
  const commands = project.next.map((command) => `  ${paint('cyan', command, stream)}`);
  return [
    `Created ${paint('bold', project.name, stream)} with ${project.files.length} files${project.git ? ' and a git repository' : ''}.`,
    '', 'Next:', ...commands, '',
    'Then, in another terminal:', `  ${paint('cyan', "curl 'http://127.0.0.1:3111/hello?name=Ada'", stream)}`,
  ].join('\n');
}
