import { join } from 'node:path';
import { requirePage, type Combination } from './combination.js';
import { hasPyright, pythonTypeProblems } from '../support/python-types.js';
import type { Manager } from './other-managers.js';
import { Project } from './project.js';
import { UserProcess } from './user-process.js';

export interface Traveller {
  /** An empty folder. */
  readonly folder: string;
  /** Of somebody whose npm asks the local registry. */
  readonly env: NodeJS.ProcessEnv;
  /** What is created and published; default: the one that `npx treadle` takes. */
  readonly version?: string;
  /** A created application whose packages serve this one as well, in the place of an install. */
  readonly packagesOf?: string;
  /** Default: npm. */
  readonly manager?: Manager;
}

export interface Arrival {
  readonly project: Project;
  /** Seconds from typing `create` to the first answer of `npm run dev`. */
  readonly firstAnswerS: number;
}

/**
 * From nothing to production as the README tells: create, types, first answer, tests, build, what production installs, one process, two processes.
 * With another package manager than npm, `env` has it in its PATH.
 * @throws Error with the output of the command that failed
 */
export async function travel(combination: Combination, traveller: Traveller): Promise<Arrival> {
  const started = performance.now();
  const project = await created(combination, traveller);
  await requireTypes(project);
  let firstAnswerS = 0;
  const visit = async (url: string): Promise<void> => {
    firstAnswerS ||= (performance.now() - started) / 1000;
    if (combination.template === 'full-stack') await requirePage(url);
  };
  await project.run('dev', visit);
  await project.script('test');
  await project.script('build');
  if (traveller.packagesOf === undefined) await project.installForProduction();
  await project.run('start', visit);
  await project.runSeparately(visit);
  return { project, firstAnswerS };
}

async function created(combination: Combination, { folder, env, version, packagesOf, manager = 'npm' }: Traveller): Promise<Project> {
  const launcher = packagesOf === undefined ? ['npx', '--yes', `treadle${version ? `@${version}` : ''}`] as const : [join(packagesOf, 'node_modules/.bin/treadle')] as const;
  const options = [...manager === 'npm' ? [] : ['--package-manager', manager], ...packagesOf === undefined ? [] : ['--no-install']];
  await new UserProcess({ command: [...launcher, ...createArguments(combination), ...options], cwd: folder, env }).succeeded();
  const project = new Project(join(folder, 'my-app'), combination, env, manager);
  if (packagesOf !== undefined) project.borrowPackages(packagesOf);
  return project;
}

function createArguments({ language, template }: Combination): readonly string[] {
  return ['create', 'my-app', '--language', language, '--template', template, '--yes'];
}

/** TypeScript by the project's own script, Python by pyright. */
async function requireTypes(project: Project): Promise<void> {
  await project.script('check');
  const problems = project.combination.language === 'py' && hasPyright() ? await pythonTypeProblems(project.folder) : '';
  if (problems !== '') throw new Error(`pyright:\n${problems}`);
}
