import type { StepFileProblem, StepFileReport } from '@treadle/api';
import { expect } from 'chai';
import { get, httpKind, queueKind, report } from './diagnose.fixture.js';
import { diagnose, type DiagnoseInput } from './diagnose.js';
import { formatDiagnostic } from './format-diagnostic.js';

describe('diagnose', () => {
  const run = (reports: readonly StepFileReport[], more: Partial<DiagnoseInput> = {}): { ids: string[]; printed: string[] } => {
    const { steps, diagnostics } = diagnose({ reports, kinds: [httpKind, queueKind], root: '/app', ...more });
    return { ids: steps.map((step) => `${step.id}@${step.file}`), printed: diagnostics.map(formatDiagnostic) };
  };
  const config = (over: object): object => ({ name: 'A', triggers: [get('/a')], ...over });

  it('enables Steps without a fault, sorted by path', () => {
    const { ids, printed } = run([report('b', config({ name: 'B', triggers: [{ type: 'queue', topic: 't' }] })), report('a', config({ flows: ['f'], enqueues: ['t'] }))]);
    expect(ids).to.deep.equal(['A@steps/a.step.ts', 'B@steps/b.step.ts']);
    expect(printed).to.deep.equal([]);
  });

  it('warns of a handler that nothing starts, and serves the rest', () => {
    const idle = report('a', config({ triggers: [] }));
    const { ids, printed } = run([{ ...idle, steps: [{ ...idle.steps[0]!, idle: true }] }, report('b', { name: 'Drawn', triggers: [] })]);
    expect(ids).to.deep.equal(['A@steps/a.step.ts', 'Drawn@steps/b.step.ts']);
    expect(printed).to.have.length(1);
    expect(printed[0]).to.contain('STEP_NEVER_STARTED  config.triggers: the Step has a handler, and nothing starts it\n    hint: add a trigger');
  });

  it('describes a Step for the catalog', () => {
    const [step] = diagnose({ reports: [report('a', config({}), 7)], kinds: [httpKind], root: '/app' }).steps;
    expect(step).to.deep.include({ id: 'A', file: 'steps/a.step.ts', line: 7, language: 'typescript' });
    const again = diagnose({ reports: [report('a', config({ flows: [] }), 7)], kinds: [httpKind], root: '/app' }).steps[0];
    expect(again?.configHash).to.be.a('string').and.not.equal(step?.configHash);
  });

  const faults: readonly (readonly [string, unknown, string])[] = [
    ['a config that is no object', 'text', 'STEP_BAD_VALUE  config: expected object, got "text"\n    hint: write an object'],
    ['a missing name', { triggers: [] }, 'STEP_MISSING_KEY  config: a Step config needs "name"\n    hint: add "name"'],
    ['an empty name', config({ name: '' }), 'STEP_BAD_VALUE  config.name: must not be empty\n    hint: write something'],
    ['a name of the wrong type', config({ name: 7 }), 'STEP_BAD_VALUE  config.name: expected string, got 7\n    hint: write a string'],
    ['triggers of the wrong type', config({ triggers: {} }), 'STEP_BAD_VALUE  config.triggers: expected array, got {}\n    hint: write an array'],
    ['a trigger without type', config({ triggers: [{}] }), 'STEP_MISSING_KEY  config.triggers[0]: a Step config needs "type"\n    hint: add "type"'],
    ['enqueues of the wrong type', config({ enqueues: 'a' }), 'STEP_BAD_VALUE  config.enqueues: expected array, got "a"\n    hint: write an array'],
    ['a topic in enqueues that cannot be one', config({ enqueues: ['not a topic'] }),
      'STEP_BAD_TOPIC  config.enqueues[0]: "not a topic" cannot be a topic\n    hint: use 1 to 200 letters, digits, ".", "_", ":", "/" or "-"'],
    ['flows with a number', config({ flows: [1] }), 'STEP_BAD_VALUE  config.flows[0]: expected string, got 1\n    hint: write a string'],
    ['a misspelt key', config({ enqueue: [] }), 'STEP_UNKNOWN_KEY  config: a Step config has no key "enqueue"\n    hint: did you mean "enqueues"?'],
    ['an unknown key', config({ zzz: [] }), 'STEP_UNKNOWN_KEY  config: a Step config has no key "zzz"\n    hint: known keys: name, description, triggers, enqueues, flows, virtualEnqueues, virtualSubscribes, atomic'],
    ['its trigger beside its name, as in other frameworks',
      { type: 'api', name: 'A', path: '/a', method: 'POST', bodySchema: { type: 'object' }, queryParams: [], emits: ['t', { topic: 'u', label: 'x' }], flows: ['f'], virtualEmits: ['v'] },
      'STEP_UNKNOWN_KEY  config: a Step config has no key "type", nor path, method, bodySchema, queryParams, emits, virtualEmits\n    hint: write '
      + '"triggers": [{ "type": "http", "path": "/a", "method": "POST", "bodySchema": … }], "enqueues": ["t","u"], "virtualEnqueues": ["v"]; "treadle migrate" does it in all files'],
    ['topics that it subscribes to', { type: 'event', name: 'A', subscribes: ['t', 'u'], input: {}, emits: [] },
      'STEP_UNKNOWN_KEY  config: a Step config has no key "type", nor subscribes, input, emits\n    hint: write '
      + '"triggers": [{ "type": "queue", "topic": "t", "input": … }, { "type": "queue", "topic": "u", "input": … }], "enqueues": []; "treadle migrate" does it in all files'],
    ['a time beside its name', { name: 'A', cron: '0 * * * *' },
      'STEP_UNKNOWN_KEY  config: a Step config has no key "cron"\n    hint: write "triggers": [{ "type": "cron", "expression": "0 * * * *" }]; "treadle migrate" does it in all files'],
    ['no trigger but a type that says so', { type: 'noop', name: 'A', virtualEmits: ['v'] },
      'STEP_UNKNOWN_KEY  config: a Step config has no key "virtualEmits"\n    hint: write "virtualEnqueues": ["v"]; "treadle migrate" does it in all files'],
    ['emits beside its triggers', config({ emits: ['t'] }), 'STEP_UNKNOWN_KEY  config: a Step config has no key "emits"\n    hint: write "enqueues": ["t"]; "treadle migrate" does it in all files'],
    ['a trigger kind of another framework', config({ triggers: [{ type: 'api', path: '/a' }] }),
      'STEP_UNKNOWN_KIND  config.triggers[0]: no loaded module serves trigger kind "api"\n    hint: write "http"'],
    ['a misspelt key of a trigger', config({ triggers: [{ ...get('/a'), bodyschema: {} }] }),
      'STEP_UNKNOWN_KEY  config.triggers[0]: a trigger of kind "http" has no key "bodyschema"\n    hint: did you mean "bodySchema"?'],
    ['a missing key of a trigger', config({ triggers: [{ type: 'http', method: 'GET' }] }),
      'STEP_MISSING_KEY  config.triggers[0]: a trigger of kind "http" needs "path"\n    hint: add "path"'],
    ['an unknown method', config({ triggers: [{ ...get('/a'), method: 'GTE' }] }),
      'STEP_BAD_VALUE  config.triggers[0].method: expected one of GET, POST, PUT, DELETE, got "GTE"\n    hint: did you mean "GET"?'],
    ['a number out of range', config({ triggers: [{ ...get('/a'), timeoutMs: 1 }] }),
      'STEP_BAD_VALUE  config.triggers[0].timeoutMs: must be >= 100; got 1\n    hint: use 100 or more'],
    ['what the kind itself finds', config({ triggers: [get('/_x')] }),
      'STEP_RESERVED_ROUTE  config.triggers[0].path: "/_x" belongs to the engine\n    hint: choose another path'],
    ['a misspelt trigger kind', config({ triggers: [{ type: 'htpp' }] }),
      'STEP_UNKNOWN_KIND  config.triggers[0]: no loaded module serves trigger kind "htpp"\n    hint: did you mean "http"?'],
    ['an unknown trigger kind', config({ triggers: [{ type: 'acme.mqtt' }] }),
      'STEP_UNKNOWN_KIND  config.triggers[0]: no loaded module serves trigger kind "acme.mqtt"\n    hint: known kinds: http, queue, cron, state, stream'],
    ['one topic twice in its triggers', config({ triggers: [{ type: 'queue', topic: 't' }, { type: 'queue', topic: 't' }], virtualEnqueues: ['t'] }),
      'STEP_DUPLICATE_TOPIC  config.triggers: topic "t" is named more than once\n    hint: name it once'],
    ['one topic twice in enqueues', config({ enqueues: ['t', 'u', 't'], virtualSubscribes: ['t', 'u'] }),
      'STEP_DUPLICATE_TOPIC  config.enqueues: topic "t" is named more than once\n    hint: name it once'],
    ['one route twice in a Step', config({ triggers: [get('/a/:x'), get('/a/:y')] }),
      'STEP_DUPLICATE_TRIGGER  config.triggers[1]: GET /a/:y is served already by Step "A" in steps/a.step.ts:3\n    hint: change or remove one of the two triggers'],
  ];
  for (const [name, bad, text] of faults) {
    it(`disables a Step with ${name} and says why`, () => {
      const { ids, printed } = run([report('a', bad), report('b', config({ name: 'B', triggers: [get('/b')] }))]);
      expect(printed).to.deep.equal([`steps/a.step.ts:3  error  ${text}`]);
      expect(ids).to.deep.equal(['B@steps/b.step.ts']);
    });
  }

  it('names the module of a kind that is not loaded and lets the rest of the Step serve', () => {
    const { ids, printed } = run([report('a', config({ triggers: [get('/a'), { type: 'cron', expression: '* * * * *' }] }))]);
    expect(printed).to.deep.equal([
      'steps/a.step.ts:3  error  STEP_KIND_NOT_LOADED  config.triggers[1]: trigger kind "cron" needs modules::cron::CronModule, '
      + 'which this config does not load\n    hint: add modules::cron::CronModule to "modules" or remove the trigger']);
    expect(ids).to.deep.equal(['A@steps/a.step.ts']);
  });

  it('ignores the condition of a trigger, which belongs to every kind', () => {
    expect(run([report('a', config({ triggers: [{ ...get('/a'), condition: true }] }))]).printed).to.deep.equal([]);
  });

  it('survives a kind whose check throws', () => {
    const kinds = [{ ...queueKind, validate: () => { throw new Error('boom'); } }];
    expect(run([report('a', config({ triggers: [{ type: 'queue' }] }))], { kinds }).printed).to.deep.equal([
      'steps/a.step.ts:3  error  STEP_BAD_TRIGGER  config.triggers[0]: modules::queue::QueueModule could not read it: Error: boom\n'
      + '    hint: correct the trigger; if it is correct, this is a fault of the module']);
  });

  describe('of Steps that collide', () => {
    const two = [report('b', config({ triggers: [get('/b')] })), report('a', config({}))];

    it('by name, lets the first by path serve', () => {
      const { ids, printed } = run(two);
      expect(ids).to.deep.equal(['A@steps/a.step.ts']);
      expect(printed).to.deep.equal(['steps/b.step.ts:3  error  STEP_DUPLICATE_NAME  config.name: Step "A" exists already in '
        + 'steps/a.step.ts:3\n    hint: give one of them another name']);
    });

    it('by name, lets the one that serves already go on', () => {
      const serving = diagnose({ reports: two.slice(0, 1), kinds: [httpKind], root: '/app' }).steps;
      expect(run(two, { serving }).ids).to.deep.equal(['A@steps/b.step.ts']);
    });

    it('by route, also with other parameter names, lets the first by path serve', () => {
      const { ids, printed } = run([report('a', config({ triggers: [get('/x/:id')] })), report('b', config({ name: 'B', triggers: [get('/x/:key')] }))]);
      expect(ids).to.deep.equal(['A@steps/a.step.ts']);
      expect(printed).to.deep.equal(['steps/b.step.ts:3  error  STEP_DUPLICATE_TRIGGER  config.triggers[0]: GET /x/:key is served '
        + 'already by Step "A" in steps/a.step.ts:3\n    hint: change or remove one of the two triggers']);
    });

    it('by route, lets the owner keep it when another one that serves moves there', () => {
      const before = diagnose({
        reports: [report('a', config({})), report('b', config({ name: 'B', triggers: [get('/b')] }))], kinds: [httpKind], root: '/app',
      }).steps;
      const moved = [report('a', config({ triggers: [get('/b')] })), report('b', config({ name: 'B', triggers: [get('/b')] }))];
      expect(run(moved, { serving: before }).ids).to.deep.equal(['B@steps/b.step.ts']);
    });

    it('does not let a disabled Step take a route from another', () => {
      const { ids } = run([
        report('a', config({ triggers: [get('/a')] })),
        report('b', config({ triggers: [get('/b')] })),
        report('c', config({ name: 'C', triggers: [get('/b')] })),
      ]);
      expect(ids).to.deep.equal(['A@steps/a.step.ts', 'C@steps/c.step.ts']);
    });
  });

  describe('with several faults', () => {
    const codes = (reports: readonly StepFileReport[], kinds = [httpKind, queueKind]): string[] =>
      run(reports, { kinds }).printed.map((text) => `${text.split(':')[0]} ${text.split('  ')[2]}`);
    const faulty = { ...get('/_x'), timeoutMs: 1 };

    it('tells what the kind finds in the sound keys of a trigger beside what its schema finds', () => {
      expect(codes([report('a', config({ triggers: [faulty] }))])).to.deep.equal(['steps/a.step.ts STEP_BAD_VALUE', 'steps/a.step.ts STEP_RESERVED_ROUTE']);
    });

    it('says nothing of what follows from a faulty or a missing key', () => {
      const kinds = [{ ...httpKind, validate: ({ path }: Record<string, unknown>) => [
        ...(path === undefined ? [{ key: 'path', code: 'FOLLOWS', message: '', remedy: '' }] : []),
      ] }, { ...queueKind, schema: { type: 'object', required: ['topic'] } as const, validate: ({ topic }: Record<string, unknown>) => (topic as string).split('') && [] }];
      expect(codes([report('a', config({ triggers: [{ type: 'http', method: 'GET' }] })), report('b', config({ name: 'B', triggers: [{ type: 'queue' }] }))], kinds))
        .to.deep.equal(['steps/a.step.ts STEP_MISSING_KEY', 'steps/b.step.ts STEP_MISSING_KEY']);
    });

    it('tells of a name and a route of another Step beside other faults, also between two faulty Steps', () => {
      const wrong = (name: string, trigger: object): object => ({ name, triggers: [{ ...trigger, timeoutMs: 1 }] });
      expect(codes([report('a', config({})), report('b', wrong('A', get('/b'))), report('c', wrong('C', get('/a'))), report('d', wrong('D', get('/c'))), report('e', wrong('E', get('/c')))]))
        .to.deep.equal([
          'steps/b.step.ts STEP_BAD_VALUE', 'steps/b.step.ts STEP_DUPLICATE_NAME', 'steps/c.step.ts STEP_BAD_VALUE', 'steps/c.step.ts STEP_DUPLICATE_TRIGGER',
          'steps/d.step.ts STEP_BAD_VALUE', 'steps/e.step.ts STEP_BAD_VALUE', 'steps/e.step.ts STEP_DUPLICATE_TRIGGER',
        ]);
    });

    it('sees no collision of routes that cannot be read', () => {
      const without = { type: 'http', method: 'GET' };
      expect(codes([report('a', config({ triggers: [without] })), report('b', config({ name: 'B', triggers: [without] }))]))
        .to.deep.equal(['steps/a.step.ts STEP_MISSING_KEY', 'steps/b.step.ts STEP_MISSING_KEY']);
    });

    it('sees no collision of routes that are wrong in themselves', () => {
      expect(codes([report('a', config({ triggers: [get('/_x')] })), report('b', config({ name: 'B', triggers: [get('/_x')] }))]))
        .to.deep.equal(['steps/a.step.ts STEP_RESERVED_ROUTE', 'steps/b.step.ts STEP_RESERVED_ROUTE']);
    });

    it('checks the other triggers beside one without type, and the topics', () => {
      expect(codes([report('a', config({ triggers: [{}, faulty], enqueues: ['t', 't'] }))])).to.deep.equal([
        'steps/a.step.ts STEP_MISSING_KEY', 'steps/a.step.ts STEP_BAD_VALUE', 'steps/a.step.ts STEP_RESERVED_ROUTE', 'steps/a.step.ts STEP_DUPLICATE_TOPIC', 'steps/a.step.ts STEP_TOPIC_NOT_CONSUMED',
      ]);
    });

    it('tells of one route twice in a faulty Step, and of topics that nobody consumes', () => {
      expect(codes([report('a', config({ triggers: [get('/b'), { ...get('/b'), timeoutMs: 1 }], enqueues: ['t'] }))])).to.deep.equal([
        'steps/a.step.ts STEP_BAD_VALUE', 'steps/a.step.ts STEP_DUPLICATE_TRIGGER', 'steps/a.step.ts STEP_TOPIC_NOT_CONSUMED',
      ]);
    });
  });

  describe('of files that could not be loaded', () => {
    const problems: readonly (readonly [StepFileProblem, string])[] = [
      [{ kind: 'syntax', message: 'Expected ";"', line: 4, column: 9 }, 'steps/a.step.ts:4:9  error  STEP_SYNTAX  Expected ";"\n    hint: correct the syntax'],
      [{ kind: 'import', message: 'Error: no database', line: 2, at: '/app/src/db.ts' },
        'src/db.ts:2  error  STEP_IMPORT_FAILED  Error: no database\n    hint: make the file load without an error; work that may fail belongs in the handler'],
      [{ kind: 'missing_config', message: 'there is no config' },
        'steps/a.step.ts:1  error  STEP_NO_CONFIG  there is no config\n    hint: export a const named "config", or step(config, handler) as default'],
      [{ kind: 'missing_handler', message: 'there is no handler' },
        'steps/a.step.ts:1  error  STEP_NO_HANDLER  there is no handler\n    hint: export a function named "handler", or step(config, handler) as default'],
      [{ kind: 'crash', message: 'the file ended its process while it was loaded (exit code 1)' },
        'steps/a.step.ts:1  error  STEP_ENDS_PROCESS  the file ended its process while it was loaded (exit code 1)\n    hint: remove what ends or kills the process when the file is imported, e.g. process.exit(); save the file to try it again'],
      [{ kind: 'timeout', message: 'still loading after 10 s' },
        'steps/a.step.ts:1  error  STEP_LOAD_TIMEOUT  still loading after 10 s\n    hint: remove the loop or the top-level await that does not end; work that takes long belongs in the handler'],
      [{ kind: 'schema', message: 'Date cannot be represented' },
        'steps/a.step.ts:1  error  STEP_BAD_SCHEMA  Date cannot be represented\n    hint: use a schema that can be expressed as JSON Schema'],
      [{ kind: 'setup', message: 'open(): no route' },
        'steps/a.step.ts:1  error  STEP_SETUP_FAILED  open(): no route\n    hint: mend what it opens; it is tried again by itself, and the Steps that it holds for answer 503 until then'],
      [{ kind: 'environment', message: 'A is not set' },
        'steps/a.step.ts:1  error  STEP_ENV_INVALID  A is not set\n    hint: set what is missing or wrong, in the environment of the process or in the file .env, and start again'],
      [{ kind: 'secret', message: 'apiKey(): "keys.a" is not set' },
        'steps/a.step.ts:1  error  STEP_SECRET_MISSING  apiKey(): "keys.a" is not set\n    hint: set the variable, in the environment of the process or in the file .env, and start again'],
      [{ kind: 'later' as 'schema', message: 'news' }, 'steps/a.step.ts:1  error  STEP_LOAD_FAILED  news\n    hint: correct the file'],
    ];
    for (const [problem, text] of problems) {
      it(`prints ${problem.kind}`, () => {
        const { ids, printed } = run([{ file: 'steps/a.step.ts', steps: [], problem }, report('b', config({}))]);
        expect(printed).to.deep.equal([text]);
        expect(ids).to.deep.equal(['A@steps/b.step.ts']);
      });
    }
  });
});
