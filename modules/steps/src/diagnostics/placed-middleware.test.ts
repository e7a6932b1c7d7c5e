import type { StepFileReport } from '@treadle/api';
import { expect } from 'chai';
import { httpKind } from './diagnose.fixture.js';
import { diagnose } from './diagnose.js';
import { formatDiagnostic } from './format-diagnostic.js';

describe('diagnose, for files of middleware', () => {
  const step = (file: string, path: string): StepFileReport =>
    ({ file, version: '1', steps: [{ config: { name: file, triggers: [{ type: 'http', method: 'GET', path }] } }] });
  const middleware = (file: string, config: unknown = {}): StepFileReport => ({ file, version: '1', steps: [{ role: 'middleware', config, line: 1 }] });
  const run = (...reports: StepFileReport[]) => diagnose({ reports, kinds: [httpKind], root: '/app' });

  it('says which hold for which trigger, so that the engine lets them see what it refuses', () => {
    const { steps, diagnostics } = run(
      step('steps/a/x.step.ts', '/x'), step('steps/b/y.step.ts', '/y'), middleware('steps/a/m.middleware.ts'), middleware('steps/n.middleware.ts', { path: '/x' }),
    );
    expect(diagnostics).to.deep.equal([]);
    expect(steps.map(({ id, middleware: files, config }) => [id, files, config.triggers[0]?.['middleware']])).to.deep.equal([
      ['steps/a/x.step.ts', [['steps/n.middleware.ts', 'steps/a/m.middleware.ts']], 1], ['steps/b/y.step.ts', undefined, undefined],
    ]);
    expect(run(step('steps/x.step.ts', '/x'), { file: 'steps/m.middleware.ts', steps: [], problem: { kind: 'import', message: 'no' } }).steps[0]?.middleware)
      .to.deep.equal([['steps/m.middleware.ts']]);
  });

  it('puts their guards in front of those of the trigger', () => {
    const schemes = (name: string) => [{ type: 'apiKey', in: 'header', name }] as const;
    const guarded = ({ steps: [step], ...report }: StepFileReport, ...guards: { schemes: ReturnType<typeof schemes> }[]): StepFileReport =>
      ({ ...report, steps: [{ ...step!, guards: [guards] }] });
    const own = guarded(step('steps/a/x.step.ts', '/x'), { schemes: schemes('own') });
    const { steps } = run(own, step('steps/b/y.step.ts', '/y'), guarded(step('c/z.step.ts', '/z'), { schemes: schemes('z') }), guarded(middleware('steps/m.middleware.ts'), { schemes: schemes('file') }));
    expect(steps.map(({ id, guards }) => [id, guards])).to.deep.equal([
      ['c/z.step.ts', [[{ schemes: schemes('z') }]]],
      ['steps/a/x.step.ts', [[{ schemes: schemes('file') }, { schemes: schemes('own') }]]],
      ['steps/b/y.step.ts', [[{ schemes: schemes('file') }]]],
    ]);
  });

  it('tells of a config that cannot be, and of a guard that guards nothing', () => {
    const { diagnostics } = run(
      step('steps/a_step.py', '/a'), middleware('steps/m.middleware.ts', { paht: '/a' }), middleware('steps/n.middleware.ts', { path: 'a', after: 'all' }),
      middleware('steps/n_middleware.py'), step('steps/b/b_step.py', '/b'), middleware('steps/b/b.middleware.ts'),
    );
    expect(diagnostics.map(formatDiagnostic)).to.deep.equal([
      'steps/b/b_step.py  warning  STEP_MIDDLEWARE_IDLE  the middleware of steps/b/b.middleware.ts does not hold for this Step, which is written in another language\n    hint: write it a second time, as *_middleware.py',
      'steps/m.middleware.ts:1  error  STEP_UNKNOWN_KEY  config: the config of middleware has no key "paht"\n    hint: did you mean "path"?',
      'steps/n.middleware.ts:1  error  STEP_BAD_VALUE  config.path: must match ^/; got "a"\n    hint: write it in this form',
      'steps/n.middleware.ts:1  error  STEP_BAD_VALUE  config.after: expected validation, got "all"\n    hint: use one of these',
    ]);
  });

  it('asks a file without a function for one', () => {
    const broken = { file: 'steps/m.middleware.ts', steps: [], problem: { kind: 'missing_handler', message: 'none' } } as const;
    expect(run(broken, { ...broken, file: 'steps/m_middleware.py' }).diagnostics.map(({ remedy }) => remedy))
      .to.deep.equal(['export a function as default', 'write "async def middleware(request, ctx, next)" in the file']);
  });
});
