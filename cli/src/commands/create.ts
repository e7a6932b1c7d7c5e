import { resolve } from 'node:path';
import { Args, Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import { TreadleCommand } from '../base-command.js';
import { LANGUAGES, requireAvailable, TEMPLATES } from '../create/choices.js';
import { formatCreated, type CreatedProject } from '../create/next-steps.js';
import { projectNameProblem } from '../create/project-name.js';

interface Wishes {
  readonly name: string;
  readonly language: string;
  readonly template: string;
}
type Given = { readonly [Key in keyof Wishes]: string | undefined } & { readonly yes: boolean };

/** `treadle create`: a new application from a bundled template. */
export default class Create extends TreadleCommand<CreatedProject> {
  static override summary = 'Create an application from a template.';
  static override description = 'Asks for what is not given when the terminal can answer. The templates are part of '
    + 'this package: with --no-install nothing is fetched.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> my-app',
    '<%= config.bin %> <%= command.id %> my-app --language ts --template basic --yes',
  ];
  static override args = { name: Args.string({ description: 'Name of the application and its folder' }) };
  static override flags = {
    language: Flags.string({ options: LANGUAGES.map(({ id }) => id), summary: 'Language of the Steps; default ts.' }),
    template: Flags.string({ options: TEMPLATES.map(({ id }) => id), summary: 'Template; default basic.' }),
    yes: Flags.boolean({ char: 'y', summary: 'Ask nothing; take the defaults.' }),
    'no-install': Flags.boolean({ summary: 'Do not install the dependencies.' }),
  };

  override async run(): Promise<CreatedProject> {
    const { args, flags } = await this.parse(Create);
    const wishes = await this.wishes({ ...flags, name: args.name });
    requireAvailable('language', wishes.language, LANGUAGES);
    requireAvailable('template', wishes.template, TEMPLATES);
    requireName(wishes.name);
    const project = await makeProject(wishes, !flags['no-install']);
    this.log(formatCreated(project, process.stdout));
    return project;
  }

  private async wishes(given: Given): Promise<Wishes> {
    const { name, language, template } = given;
    const asks = !given.yes && !this.jsonEnabled() && process.stdin.isTTY && process.stderr.isTTY;
    if (!asks) return { name: name ?? '', language: language ?? 'ts', template: template ?? 'basic' };
    if (name !== undefined) requireName(name);
    const { Prompt } = await import('../create/prompt.js');
    const prompt = new Prompt();
    try {
      return {
        name: name ?? await prompt.text('Project name:', (text) => objection(text)),
        language: language ?? await prompt.choose('Language', LANGUAGES),
        template: template ?? await prompt.choose('Template', TEMPLATES),
      };
    } finally {
      prompt.close();
    }
  }
}

function objection(name: string): string | undefined {
  const problem = projectNameProblem(name);
  return problem && `${problem.message}; ${problem.hint}`;
}

function requireName(name: string): void {
  const problem = projectNameProblem(name);
  if (problem) throw treadleError('USAGE', problem);
}

async function makeProject({ name, language, template }: Wishes, install: boolean): Promise<CreatedProject> {
  const { writeProject } = await import('../create/write-project.js');
  const { initRepository } = await import('../create/git.js');
  const { detectPackageManager, installCommand } = await import('../application/package-manager.js');
  const { nextCommands } = await import('../create/next-steps.js');
  const folder = resolve(name);
  const files = await writeProject({ name, folder, template: `${template}-${language}` });
  const git = initRepository(folder);
  const packageManager = detectPackageManager(folder, process.env['npm_config_user_agent']);
  if (install) {
    const { runInstall } = await import('../application/run-install.js');
    const installed = runInstall(installCommand(packageManager), folder, `installing dependencies with ${packageManager}`);
    await installed.catch((error: unknown) => {
      process.stderr.write(`${name} is there; only its dependencies are missing.\n`);
      throw error;
    });
  }
  const next = nextCommands(name, packageManager, install);
  return { name, folder, language, template, files, git, installed: install, packageManager, next };
}
