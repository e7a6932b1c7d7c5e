import type { StepFileProblem, StepFileReport } from '@treadle/protocol';
import type { StepLogger } from 'treadle';
import { isPythonStep } from '../discover.js';
import type { Declarations } from './declarations.js';
import { checkEnv, type DeclaredEnv } from './env-file.js';
import { Generation } from './generation.js';
import { OpenSetup } from './open-setup.js';
import type { DeclaredSetup } from './setup-file.js';
import { setupName } from './setup-name.js';
import { SetupResource } from './setup-resource.js';

export interface SetupsOptions {
  /** False: the files are only registered; nothing is opened, and no variable is looked at. */
  readonly opens: boolean;
  /** Values in the place of what files would open, by name. */
  readonly given?: Readonly<Record<string, unknown>> | undefined;
  /** How long those who load files wait for what is opened, in milliseconds: what takes longer is told later, and Steps are held until then. Default: to the end. */
  readonly patienceMs?: number | undefined;
  /** Where variables are read. Default: the environment of the process. */
  readonly variables?: NodeJS.ProcessEnv | undefined;
  readonly loggerOf: (file: string) => StepLogger;
  /** Runs a function in the name of a file, which is charged with what it does to the process. */
  readonly runAs: <T>(file: string, task: () => T) => T;
  /** What is open has changed since the files were loaded. */
  readonly onChange: () => void;
}

/** Of a value that somebody else opens and closes. */
const NOT_OURS = { close: undefined, closeTimeoutMs: 0 };
const NOT_LOADED = 'its file could not be loaded';

/** The setups and the environment of a process: opened before its handlers, closed after them. */
export class Setups {
  /** What a handler that begins now uses. */
  current: Generation;
  readonly #options: SetupsOptions;
  readonly #given: ReadonlyMap<string, OpenSetup>;
  readonly #resources = new Map<string, SetupResource>();
  readonly #closing = new Set<Promise<void>>();
  #declared: Declarations = { setups: [], envs: [], lacking: [] };
  #env: Readonly<Record<string, unknown>> = {};
  #envFaults: ReadonlyMap<string, string> = new Map();
  /** Why a setup that has no value now is not open, by its file. */
  #absent: ReadonlyMap<string, string> = new Map();
  #ended = false;

  constructor(options: SetupsOptions) {
    this.#options = options;
    this.#given = new Map(Object.entries(options.given ?? {}).map(([name, value]) => [name, new OpenSetup(value, NOT_OURS, () => undefined)]));
    this.current = this.#generation(this.#given, new Map());
  }

  /** Opens what is declared and has changed, beside each other, and lets go of what is not declared any more. Never rejects. */
  async apply(declared: Declarations): Promise<void> {
    if (!this.#options.opens || this.#ended) return;
    this.#declared = declared;
    await this.#checkEnv(declared.envs);
    for (const [file, resource] of this.#resources) {
      if (declared.setups.some((each) => each.file === file)) continue;
      resource.end();
      this.#resources.delete(file);
    }
    const opening = Promise.all(declared.setups.map((each) => this.#define(each)));
    if (!await isSoon(opening, this.#options.patienceMs)) void opening.then(() => this.#settled());
    this.#renew();
  }

  /** Nothing is missing: every Step may run. */
  get isWhole(): boolean {
    return this.#absent.size + this.#envFaults.size + this.#declared.lacking.length === 0;
  }

  /** Why the Steps of a file must not run now; undefined when they may. */
  reasonAgainst(file: string): string | undefined {
    if (!this.#options.opens) return undefined;
    const [lacking] = this.#declared.lacking;
    if (lacking !== undefined) return `${lacking}: ${NOT_LOADED}`;
    for (const [at, fault] of this.#envFaults) return `${at}: ${fault}`;
    for (const [at, reason] of this.#absent) if (holdsFor(at, file)) return `the setup "${setupName(at)}" (${at}) is not open: ${reason}`;
    return undefined;
  }

  /** The reports on files with what is wrong with setups and variables; Steps that must not run are held. */
  annotate(reports: readonly StepFileReport[]): readonly StepFileReport[] {
    if (!this.#options.opens || this.#declared.setups.length + this.#declared.envs.length + this.#declared.lacking.length === 0) return reports;
    return reports.map((report) => {
      if (report.problem) return report;
      const problem = this.#problemOf(report.file);
      if (problem) return { ...report, steps: [], problem };
      return this.reasonAgainst(report.file) === undefined ? report : { ...report, held: true };
    });
  }

  /** Closes everything. Handlers must have ended; resolves when nothing is open. Never rejects. */
  async close(): Promise<void> {
    this.#ended = true;
    for (const resource of this.#resources.values()) resource.end();
    this.#resources.clear();
    this.#replace(new Map(), new Map());
    await Promise.all(this.#closing);
  }

  async #checkEnv(envs: readonly DeclaredEnv[]): Promise<void> {
    const found = await Promise.all(envs.map(async (each) => ({ file: each.file, ...await checkEnv(each, this.#options.variables ?? process.env) })));
    const faulty = found.filter(({ faults }) => faults.length > 0);
    this.#envFaults = new Map(faulty.map(({ file, faults }) => [file, faults.join('; ')]));
    this.#env = Object.assign({}, ...found.map(({ value }) => value)) as Readonly<Record<string, unknown>>;
  }

  async #define({ file, definition }: DeclaredSetup): Promise<void> {
    const name = setupName(file);
    if (this.#given.has(name)) return;
    const { loggerOf, runAs } = this.#options;
    let resource = this.#resources.get(file);
    if (!resource) {
      resource = new SetupResource({ file, name, logger: loggerOf(file), run: (task) => runAs(file, task), onChange: () => this.#settled() });
      this.#resources.set(file, resource);
    }
    if (!definition) resource.refuse(NOT_LOADED);
    else if (this.#envFaults.size > 0) resource.refuse('variables are missing or wrong');
    else if (this.#twin(file) !== undefined) resource.refuse(`${this.#twin(file) ?? ''} has the same name`);
    else await resource.define(definition, this.#env);
  }

  /** Of several files with one name the first by path counts. */
  #twin(file: string): string | undefined {
    const same = this.#declared.setups.map((each) => each.file).filter((other) => setupName(other) === setupName(file)).sort();
    return same[0] === file ? undefined : same[0];
  }

  #settled(): void {
    if (this.#ended) return;
    this.#renew();
    this.#options.onChange();
  }

  #renew(): void {
    if (this.#ended) return;
    const open = new Map(this.#given);
    const absent = new Map<string, string>();
    for (const [file, { opened, failure = 'it is being opened' }] of this.#resources) {
      if (opened) open.set(setupName(file), opened);
      else absent.set(file, failure);
    }
    this.#absent = absent;
    this.#replace(open, new Map([...absent].map(([file, reason]) => [setupName(file), reason])));
  }

  /** The new one holds what it shares with the old one before that lets go of it. */
  #replace(open: ReadonlyMap<string, OpenSetup>, absent: ReadonlyMap<string, string>): void {
    const before = this.current;
    this.current = this.#generation(open, absent);
    before.retire();
  }

  #generation(open: ReadonlyMap<string, OpenSetup>, absent: ReadonlyMap<string, string>): Generation {
    return new Generation(open, absent, this.#env, (closing) => {
      this.#closing.add(closing);
      void closing.then(() => this.#closing.delete(closing));
    });
  }

  #problemOf(file: string): StepFileProblem | undefined {
    const fault = this.#envFaults.get(file);
    if (fault !== undefined) return { kind: 'environment', message: fault };
    const failure = this.#resources.get(file)?.failure;
    return failure === undefined ? undefined : { kind: 'setup', message: `open(): ${failure}` };
  }
}

/** False: it takes longer than somebody waits. */
async function isSoon(work: Promise<unknown>, patienceMs: number | undefined): Promise<boolean> {
  if (patienceMs === undefined) return work.then(() => true);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => { timer = setTimeout(() => resolve(false), patienceMs); });
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
}

/** A setup in a folder that is searched holds for the whole application, one further down for the Steps of its folder and below. Each language opens its own. */
function holdsFor(setup: string, step: string): boolean {
  if (isPythonStep(setup) !== isPythonStep(step)) return false;
  const folder = setup.slice(0, setup.lastIndexOf('/') + 1);
  return folder.split('/').length <= 2 || step.startsWith(folder);
}
