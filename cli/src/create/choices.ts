/** Something that `create` lets one choose. */
export interface Choice {
  readonly id: string;
  readonly label: string;
}

export interface Language extends Choice {
  /** How file names of Steps end. */
  readonly suffix: string;
  /** What the machine needs, for the README. */
  readonly requirements: string;
}

export interface Template extends Choice {
  /** Shell lines that show the application at work while `dev` runs. */
  readonly attempts: readonly string[];
}

const NODE = 'Node.js 20.19 or newer';

/** The first one is the default. */
export const LANGUAGES: readonly [Language, ...Language[]] = [
  { id: 'ts', label: 'TypeScript', suffix: '.step.ts', requirements: NODE },
  { id: 'js', label: 'JavaScript', suffix: '.step.js', requirements: NODE },
  { id: 'py', label: 'Python', suffix: '_step.py', requirements: `Python 3.10 or newer, and ${NODE} for the engine` },
];

const POST_TASK = `curl http://127.0.0.1:3111/tasks -H 'content-type: application/json' -d '{"description": "Buy milk"}'`;

/** The first one is the default. */
export const TEMPLATES: readonly [Template, ...Template[]] = [
  { id: 'basic', label: 'basic: an HTTP Step and a queue Step', attempts: ["curl 'http://127.0.0.1:3111/hello?name=Ada'"] },
  { id: 'api', label: 'api: a REST API with stored data', attempts: [POST_TASK, 'curl http://127.0.0.1:3111/tasks'] },
  { id: 'full-stack', label: 'full-stack: a REST API, a live page and a nightly job', attempts: [POST_TASK, 'open http://127.0.0.1:3111/ in a browser'] },
];

/** The choice of that id. The command line has refused all other ids. */
export function chosen<C extends Choice>(choices: readonly [C, ...C[]], id: string): C {
  return choices.find((choice) => choice.id === id) ?? choices[0];
}
