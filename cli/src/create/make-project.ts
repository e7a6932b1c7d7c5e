import { resolve } from 'node:path';
import { detectPackageManager, installCommand, type PackageManager } from '../application/package-manager.js';
import { chosen, LANGUAGES, TEMPLATES } from './choices.js';
import { makeRepository } from './git.js';
import { nextCommands, type CreatedProject } from './next-steps.js';
import { writeProject } from './write-project.js';

/** What to make, in the working directory. */
export interface ProjectRequest {
  /** Of the folder and the package; checked. */
  readonly name: string;
  readonly language: string;
  readonly template: string;
  readonly install: boolean;
}

/**
 * Writes a project, installs its dependencies and makes it a git repository. When installing fails, everything else is
 * there nevertheless.
 * @throws {USAGE} when the folder is not empty
 * @throws {FILE_NOT_WRITABLE} when writing fails
 * @throws {INSTALL_FAILED} when the package manager fails
 */
export async function makeProject({ name, language, template, install }: ProjectRequest): Promise<CreatedProject> {
  const folder = resolve(name);
  const files = await writeProject({ name, folder, language: chosen(LANGUAGES, language), template: chosen(TEMPLATES, template) });
  if (language === 'py') await sayWithoutPython(folder);
  const packageManager = detectPackageManager(folder, process.env['npm_config_user_agent']);
  const failure = install ? await installDependencies(folder, packageManager) : undefined;
  // Afterwards, so that the lock file is part of the first commit.
  const git = makeRepository(folder, `Create ${name}`);
  if (failure) {
    process.stderr.write(`${name} is there; only its dependencies are missing.\n`);
    throw failure;
  }
  const next = nextCommands(name, packageManager, install);
  return { name, folder, language, template, files, git, installed: install, packageManager, next };
}

/** Gives the error when it fails. */
async function installDependencies(folder: string, manager: PackageManager): Promise<Error | undefined> {
  const { runInstall } = await import('../application/run-install.js');
  const installed = runInstall(installCommand(manager), folder, `installing dependencies with ${manager}`);
  return installed.then(() => undefined, (error: Error) => error);
}

/** The project is as good without an interpreter; it only cannot run yet. */
async function sayWithoutPython(folder: string): Promise<void> {
  const { findPython } = await import('@treadle/runtime-python');
  const found = await findPython({ root: folder });
  if ('problem' in found) process.stderr.write(`note: ${found.problem}\n`);
}
