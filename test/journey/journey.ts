import { join } from 'node:path';
import { requirePage, type Combination } from './combination.js';
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
}

export interface Arrival {
  readonly project: Project;
  /** Seconds from typing `create` to the first answer of `npm run dev`. */
  readonly firstAnswerS: number;
}

/**
 * From nothing to production as the README tells: create, first answer, tests, build, what production installs, one process, two processes.
 * @throws Error with the output of the command that failed
 */
export async function travel(combination: Combination, { folder, env, version, packagesOf }: Traveller): Promise<Arrival> {
  const started = performance.now();
  const { language, template } = combination;
  const create = ['create', 'my-app', '--language', language, '--template', template, '--yes'];
  const launcher = packagesOf === undefined ? ['npx', '--yes', `treadle${version ? `@${version}` : ''}`] as const : [join(packagesOf, 'node_modules/.bin/treadle')] as const;
  await new UserProcess({ command: [...launcher, ...create, ...packagesOf === undefined ? [] : ['--no-install']], cwd: folder, env }).succeeded();
  const project = new Project(join(folder, 'my-app'), combination, env);
  if (packagesOf !== undefined) project.borrowPackages(packagesOf);
  let firstAnswerS = 0;
  const visit = async (url: string): Promise<void> => {
    firstAnswerS ||= (performance.now() - started) / 1000;
    if (template === 'full-stack') await requirePage(url);
  };
  await project.run('dev', visit);
  await project.script('test');
  await project.script('build');
  if (packagesOf === undefined) await project.installForProduction();
  await project.run('start', visit);
  await project.runSeparately(visit);
  return { project, firstAnswerS };
}
