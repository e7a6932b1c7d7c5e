import { Args, Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import { TreadleCommand } from '../base-command.js';
import { LANGUAGES, TEMPLATES } from '../create/choices.js';
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
    '<%= config.bin %> <%= command.id %> my-app --language py --template full-stack',
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
    const { makeProject } = await import('../create/make-project.js');
    const project = await makeProject({ ...wishes, install: !flags['no-install'] });
    this.log(formatCreated(project, process.stdout));
    return project;
  }

  private async wishes(given: Given): Promise<Wishes> {
    const { name, language, template } = given;
    const asks = !given.yes && !this.jsonEnabled() && process.stdin.isTTY && process.stderr.isTTY;
    if (name !== undefined || !asks) requireName(name ?? '');
    if (!asks) return { name: name ?? '', ...this.defaults(given) };
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

  /** Says what it takes unless that was asked for, by `--yes`, or `--json` tells it anyway. */
  private defaults({ language, template, yes }: Given): Omit<Wishes, 'name'> {
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
