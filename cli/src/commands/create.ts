import { Args, Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import { PACKAGE_MANAGERS } from '../application/package-manager.js';
import { TreadleCommand } from '../base-command.js';
import { LANGUAGES, TEMPLATES } from '../create/choices.js';
import { formatCreated, type CreatedProject } from '../create/next-steps.js';
import { projectNameProblem } from '../create/project-name.js';

interface Wishes {
  /** The name as it was given. */
  readonly given: string;
  readonly language: string;
  readonly template: string;
}
type Flagged = { readonly [Key in keyof Wishes]: string | undefined } & { readonly yes: boolean };

/** `treadle create`: a new application from a bundled template. */
export default class Create extends TreadleCommand<CreatedProject> {
  static override summary = 'Create an application from a template.';
  static override description = 'Asks for what is not given when the terminal can answer. The templates are part of '
    + 'this package: with --no-install nothing is fetched.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> my-app',
    '<%= config.bin %> <%= command.id %> my-app --language py --template full-stack',
    '<%= config.bin %> <%= command.id %> . --package-manager pnpm',
  ];
  static override args = { name: Args.string({ description: 'Name of the application and its folder, with or without a scope; "." is the working directory' }) };
  static override flags = {
    language: Flags.string({ options: LANGUAGES.map(({ id }) => id), summary: 'Language of the Steps; default ts.' }),
    template: Flags.string({ options: TEMPLATES.map(({ id }) => id), summary: 'Template; default basic.' }),
    yes: Flags.boolean({ char: 'y', summary: 'Ask nothing; take the defaults.' }),
    'no-install': Flags.boolean({ summary: 'Do not install the dependencies.' }),
    'no-git': Flags.boolean({ summary: 'Do not make a git repository.' }),
    'package-manager': Flags.option({
      options: PACKAGE_MANAGERS, summary: 'What installs the dependencies; default: the one in use around the folder, else the one that runs this, else npm.',
    })(),
  };

  override async run(): Promise<CreatedProject> {
    const { args, flags } = await this.parse(Create);
    const wishes = await this.wishes({ ...flags, given: args.name });
    const { makeProject } = await import('../create/make-project.js');
    const project = await makeProject({
      ...wishes, install: !flags['no-install'], git: !flags['no-git'], packageManager: flags['package-manager'],
    });
    this.log(formatCreated(project, process.stdout));
    return project;
  }

  private async wishes(flagged: Flagged): Promise<Wishes> {
    const { given, language, template } = flagged;
    const asks = !flagged.yes && !this.jsonEnabled() && process.stdin.isTTY && process.stderr.isTTY;
    if (given !== undefined || !asks) requireName(given ?? '');
    if (!asks) return { given: given ?? '', ...this.defaults(flagged) };
    const { Prompt } = await import('../create/prompt.js');
    const prompt = new Prompt();
    return {
      given: given ?? await prompt.text('Project name:', (text) => objection(text)),
      language: language ?? await prompt.choose('Language', LANGUAGES),
      template: template ?? await prompt.choose('Template', TEMPLATES),
    };
  }

  /** Says what it takes unless that was asked for, by `--yes`, or `--json` tells it anyway. */
  private defaults({ language, template, yes }: Flagged): Omit<Wishes, 'given'> {
    const taken = { language: language ?? LANGUAGES[0].id, template: template ?? TEMPLATES[0].id };
    const silent = [...language === undefined ? [`--language ${taken.language}`] : [], ...template === undefined ? [`--template ${taken.template}`] : []];
    if (silent.length > 0 && !yes && !this.jsonEnabled()) this.logToStderr(`not a terminal that can answer: taking ${silent.join(' ')}`);
    return taken;
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
