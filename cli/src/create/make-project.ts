import { detectPackageManager, installCommand, type PackageManager } from '../application/package-manager.js';
import { chosen, LANGUAGES, TEMPLATES } from './choices.js';
import { makeRepository } from './git.js';
import { nextCommands, type CreatedProject } from './next-steps.js';
import { projectTarget } from './project-name.js';
import { writeProject } from './write-project.js';

/** What to make, in the working directory. */
export interface ProjectRequest {
  /** As the user gave it; checked. */
  readonly given: string;
  readonly language: string;
  readonly template: string;
  readonly install: boolean;
  /** Whether it becomes a git repository. */
  readonly git: boolean;
  /** Default: the one of the folders around it, else the one that runs this command, else npm. */
  readonly packageManager?: PackageManager | undefined;
}

/**
 * Writes a project, installs its dependencies and makes it a git repository. When installing fails, everything else is
 * there nevertheless.
 * @throws {USAGE} when the folder is not empty
 * @throws {FILE_NOT_WRITABLE} when writing fails
 * @throws {INSTALL_FAILED} when the package manager fails
 */
export async function makeProject(request: ProjectRequest): Promise<CreatedProject> {
  const { given, language, template, install } = request;
  const { name, folder } = projectTarget(given, process.cwd());
  const packageManager = request.packageManager ?? detectPackageManager(folder, process.env['npm_config_user_agent']);
  const { files, kept } = await writeProject({ name, folder, packageManager, language: chosen(LANGUAGES, language), template: chosen(TEMPLATES, template) });
  if (language === 'py') await sayWithoutPython(folder);
  const failure = install ? await installDependencies(folder, packageManager) : undefined;
  // Afterwards, so that the lock file is part of the first commit.
  const git = request.git ? makeRepository(folder, `Create ${name}`) : 'unwanted';
  if (failure) {
    process.stderr.write(`${name} is there; only its dependencies are missing.\n`);
    throw failure;
  }
  const next = nextCommands(folder, packageManager, install);
  return { name, folder, language, template, files, kept, git, installed: install, packageManager, next };
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
