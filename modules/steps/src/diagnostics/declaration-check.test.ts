import type { DeclaredTriggerKind, LoadedStep, StepFileReport } from '@treadle/api';
import { expect } from 'chai';
import { get, httpKind, report } from './diagnose.fixture.js';
import { diagnose } from './diagnose.js';
import { formatDiagnostic } from './format-diagnostic.js';

const owner = 'modules::stream::StreamModule';
const KINDS: readonly DeclaredTriggerKind[] = [
  httpKind,
  { type: 'stream.declaration', summary: '', owner, schema: { type: 'object' }, exclusiveKey: ({ streamName }) => String(streamName) },
  { type: 'stream.authentication', summary: '', owner, schema: { type: 'object' } },
];

describe('diagnose, for declarations of streams', () => {
  const stream = (file: string, config: unknown): StepFileReport => ({ file: `src/${file}.stream.ts`, version: '1', steps: [{ role: 'stream', config, line: 2 }] });
  const auth = (file: string, config: unknown = { authenticate: true }): StepFileReport =>
    ({ file: `src/${file}.stream-auth.ts`, version: '1', steps: [{ role: 'stream-auth', config, line: 1 }] });
  const run = (reports: readonly StepFileReport[], kinds = KINDS) => diagnose({ reports, kinds, root: '/app' });
  const printed = (reports: readonly StepFileReport[], kinds = KINDS): string[] => run(reports, kinds).diagnostics.map(formatDiagnostic);

  it('makes of them entries of the catalog with a role and one trigger', () => {
    const { steps, diagnostics } = run([auth('main'), stream('board', { name: 'board', description: 'b', schema: { type: 'object' }, canAccess: true })]);
    expect(diagnostics).to.deep.equal([]);
    expect(steps.map(({ id, role, config }) => ({ id, role, config }))).to.deep.equal([
      { id: 'stream:board', role: 'stream', config: { name: 'stream:board', description: 'b', triggers: [
        { type: 'stream.declaration', streamName: 'board', schema: { type: 'object' }, canAccess: true }] } },
      { id: 'stream-auth', role: 'stream-auth', config: { name: 'stream-auth', triggers: [{ type: 'stream.authentication' }] } },
    ]);
  });

  const faults: readonly (readonly [string, unknown, string])[] = [
    ['without a name', {}, 'STEP_MISSING_KEY  config: a stream config needs "name"\n    hint: add "name"'],
    ['with a misspelt key', { name: 's', canAcces: true }, 'STEP_UNKNOWN_KEY  config: a stream config has no key "canAcces"\n    hint: did you mean "canAccess"?'],
    ['with a hook that is no function', { name: 's', onJoin: 'x' }, 'STEP_BAD_VALUE  config.onJoin: is no function\n    hint: write a function'],
    ['that is no object', 7, 'STEP_BAD_VALUE  config: expected object, got 7\n    hint: write an object'],
  ];
  for (const [name, config, text] of faults) {
    it(`disables a stream ${name}`, () => {
      expect(printed([stream('s', config)])).to.deep.equal([`src/s.stream.ts:2  error  ${text}`]);
      expect(run([stream('s', config)]).steps).to.deep.equal([]);
    });
  }

  it('lets one of two streams with the same name and one of two authentications serve', () => {
    expect(printed([stream('a', { name: 's' }), stream('b', { name: 's' }), auth('a'), auth('b')])).to.deep.equal([
      'src/b.stream-auth.ts:1  error  STEP_DUPLICATE_NAME  clients of streams are authenticated already by src/a.stream-auth.ts:1\n'
      + '    hint: an application has one authenticate: remove one of the files',
      'src/b.stream.ts:2  error  STEP_DUPLICATE_NAME  config.name: stream "s" exists already in src/a.stream.ts:2\n    hint: give one of them another name',
    ]);
  });

  it('names the module that streams need when it is not loaded', () => {
    expect(printed([stream('s', { name: 's' })], [httpKind])).to.deep.equal([
      'src/s.stream.ts:2  error  STEP_KIND_NOT_LOADED  a stream needs modules::stream::StreamModule, which this config does not load\n'
      + '    hint: add modules::stream::StreamModule to "modules" or remove the file']);
  });

  it('does not let a Step declare a stream by a trigger', () => {
    const loaded: LoadedStep = { config: { name: 'A', triggers: [get('/a'), { type: 'stream.declaration', streamName: 's' }] } };
    expect(run([{ ...report('a', {}), steps: [loaded] }]).diagnostics.map(({ code }) => code)).to.deep.equal(['STEP_UNKNOWN_KIND']);
  });

  it('says what a file without config or authenticate needs', () => {
    const problem = (file: string, kind: 'missing_config' | 'missing_authenticate'): StepFileReport => ({ file, steps: [], problem: { kind, message: 'none' } });
    expect(printed([problem('src/a.stream.ts', 'missing_config'), problem('src/a.stream-auth.ts', 'missing_authenticate')])).to.deep.equal([
      'src/a.stream-auth.ts:1  error  STEP_NO_AUTHENTICATE  none\n    hint: export a function named "authenticate"',
      'src/a.stream.ts:1  error  STEP_NO_CONFIG  none\n    hint: export a const named "config" with the name of the stream, or that object as default',
    ]);
  });
});
