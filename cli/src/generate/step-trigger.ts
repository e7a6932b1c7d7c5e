import { treadleError } from '@treadle/api';

/** What was asked for on the command line. */
export interface TriggerChoice {
  readonly trigger: string;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly topic?: string | undefined;
  readonly expression?: string | undefined;
  readonly group?: string | undefined;
  readonly stream?: string | undefined;
}

/** The trigger of a new Step. */
export interface NewTrigger {
  readonly kind: string;
  /** Arguments of the helper, in order. */
  readonly values: readonly string[];
  /** Options of the helper. */
  readonly options?: Readonly<Record<string, string>>;
  /** Requests have a body, which a schema describes. */
  readonly hasBody?: boolean;
  /** For the Step's description. */
  readonly starts: string;
}

const WITH_BODY: readonly string[] = ['POST', 'PUT', 'PATCH'];

type Make = (choice: TriggerChoice, slug: string) => NewTrigger;

/** Which options go with which trigger, and what becomes of them. */
const TRIGGERS: Readonly<Record<string, { readonly takes: readonly string[]; readonly make: Make }>> = {
  http: {
    takes: ['method', 'path'],
    make: ({ method = 'GET', path = '' }, slug) => {
      const route = path === '' ? `/${slug}` : path;
      return { kind: 'http', values: [method, route], hasBody: WITH_BODY.includes(method), starts: `Answers ${method} ${route}` };
    },
  },
  queue: { takes: ['topic'], make: ({ topic }, slug) => ({ kind: 'queue', values: [topic ?? slug], starts: `Handles messages of ${topic ?? slug}` }) },
  cron: {
    takes: ['expression'],
    make: ({ expression = '@daily' }) => ({ kind: 'cron', values: [expression], starts: `Runs at ${expression}` }),
  },
  state: {
    takes: ['group'],
    make: ({ group }, slug) => ({ kind: 'state', values: [], options: { group: group ?? slug }, starts: `Follows the state of ${group ?? slug}` }),
  },
  stream: { takes: ['stream'], make: ({ stream }, slug) => ({ kind: 'stream', values: [stream ?? slug], starts: `Follows the stream ${stream ?? slug}` }) },
};

/** The kinds of trigger that a Step can be generated with. */
export const TRIGGER_KINDS: readonly string[] = Object.keys(TRIGGERS);

/**
 * The trigger for what was asked; what was not said is made of the Step's name.
 * @throws {USAGE} for an option of another kind of trigger
 */
export function newTrigger(choice: TriggerChoice, slug: string): NewTrigger {
  const { takes, make } = TRIGGERS[choice.trigger] ?? { takes: [], make: () => { throw new Error(`no trigger ${choice.trigger}`); } };
  for (const [option, value] of Object.entries(choice)) {
    if (option === 'trigger' || value === undefined || takes.includes(option)) continue;
    const hint = `it belongs to --trigger ${ownerOf(option)}; "${choice.trigger}" takes ${takes.map((name) => `--${name}`).join(', ')}`;
    throw treadleError('USAGE', { message: `--${option} does not go with --trigger ${choice.trigger}`, hint });
  }
  return make(choice, slug);
}

function ownerOf(option: string): string {
  return Object.entries(TRIGGERS).find(([, { takes }]) => takes.includes(option))?.[0] ?? 'http';
}
