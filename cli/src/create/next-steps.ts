import { relative } from 'node:path';
import { packageProgram, runCommand, type PackageManager } from '../application/package-manager.js';
import { paint, type TerminalStream } from '../terminal/paint.js';
import { chosen, LANGUAGES, TEMPLATES } from './choices.js';
import type { RepositoryOutcome } from './git.js';

/** What came of `create`. */
export interface CreatedProject {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  readonly language: string;
  readonly template: string;
  /** Sorted. */
  readonly files: readonly string[];
  /** What was in the folder before and stays as it was, although the template has a file of that name. */
  readonly kept: readonly string[];
  readonly git: RepositoryOutcome;
  readonly installed: boolean;
  readonly packageManager: PackageManager;
  /** Commands to type now. */
  readonly next: readonly string[];
}

/** The commands that lead from a new project to its first answer. */
export function nextCommands(folder: string, manager: PackageManager, installed: boolean): readonly string[] {
  const away = relative(process.cwd(), folder);
  return [...(away === '' ? [] : [`cd ${away}`]), ...(installed ? [] : [`${manager} install`]), runCommand(manager, 'dev')];
}

/** What `create` prints at the end. */
export function formatCreated(project: CreatedProject, stream: TerminalStream): string {
  const shown = (command: string): string => `  ${paint('cyan', command, stream)}`;
  const template = chosen(TEMPLATES, project.template);
  const kind = `${chosen(LANGUAGES, project.language).label}, ${template.id} template`;
  return [
    `Created ${paint('bold', project.name, stream)} (${kind}) with ${project.files.length} files${REPOSITORY[project.git]}.`,
    ...project.kept.map((file) => `${file} was there before and is left as it is.`),
    '', 'Next:', ...project.next.map(shown), '',
    'Then, in another terminal:', ...template.attempts.map(shown),
    '', 'Documentation:', shown(`${packageProgram(project.packageManager)} treadle docs`),
  ].join('\n');
}

/** What is said of the repository behind the number of files. */
const REPOSITORY: Readonly<Record<RepositoryOutcome, string>> = {
  committed: ' and a git repository',
  'no-identity': ' and a git repository without a commit: git knows neither user.name nor user.email',
  inside: '; the git repository around it is left as it is',
  'no-git': '; git is not installed, so there is no repository',
  failed: '; git could not make a repository',
  unwanted: '',
};
