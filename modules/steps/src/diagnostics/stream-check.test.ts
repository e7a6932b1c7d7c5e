import type { DeclaredTriggerKind, StepFileReport } from '@treadle/api';
import { expect } from 'chai';
import { queueKind, report } from './diagnose.fixture.js';
import { diagnose, type DiagnoseInput } from './diagnose.js';
import { formatDiagnostic } from './format-diagnostic.js';

describe('diagnose, for streams', () => {
  const kinds: readonly DeclaredTriggerKind[] = [queueKind, ...['stream', 'stream.declaration'].map((type) => ({ ...queueKind, type }))];
  const listener = (streamName: string, more: object = {}): StepFileReport => report('listen', { name: 'Listen', triggers: [{ type: 'queue', topic: 't' }, { type: 'stream', streamName }], virtualEnqueues: ['t'], ...more });
  const declaration = (config: object): StepFileReport => ({ file: 'steps/board.stream.ts', version: '1', steps: [{ role: 'stream', config, line: 1 }] });
  const printed = (reports: readonly StepFileReport[], more: Partial<DiagnoseInput> = {}): string[] =>
    diagnose({ reports, kinds, root: '/app', ...more }).diagnostics.map(formatDiagnostic);

  it('says nothing of a trigger on a stream that is declared', () => {
    expect(printed([listener('board'), declaration({ name: 'board' })])).to.deep.equal([]);
  });

  it('warns of one that no file declares, and lets the Step serve', () => {
    expect(printed([listener('scores'), declaration({ name: 'board' })])).to.deep.equal([
      'steps/listen.step.ts:3  warning  STEP_STREAM_NOT_DECLARED  config.triggers[1].streamName: no file declares stream "scores", so the trigger never fires\n'
      + '    hint: declare "scores" in a *.stream.ts, *.stream.js or *_stream.py file']);
    const { steps, faulty } = diagnose({ reports: [listener('scores')], kinds, root: '/app' });
    expect([steps.map(({ id }) => id), faulty.size]).to.deep.equal([['Listen'], 0]);
  });

  it('suggests the stream that was meant', () => {
    expect(printed([listener('ticketBaord'), declaration({ name: 'ticket-board' })])[0]).to.match(/hint: did you mean "ticket-board"\?$/);
  });

  it('says nothing where a declaration may exist: beside a declaration that is broken, a file that cannot be loaded, one that is not known yet', () => {
    const codes = (...of: Parameters<typeof printed>): (string | undefined)[] => printed(...of).map((text) => text.split('  ')[2]);
    expect(codes([listener('scores', { flow: [] })])).to.deep.equal(['STEP_UNKNOWN_KEY', 'STEP_STREAM_NOT_DECLARED']);
    expect(codes([listener('board'), declaration({ nmae: 'board' })])).to.not.be.empty.and.not.include('STEP_STREAM_NOT_DECLARED');
    expect(codes([listener('board'), { file: 'steps/board.stream.ts', steps: [], problem: { kind: 'syntax', message: '' } }])).to.deep.equal(['STEP_SYNTAX']);
    expect(codes([listener('board')], { partial: true })).to.deep.equal([]);
    expect(codes([listener('board')], { kinds: [queueKind] })).to.not.include('STEP_STREAM_NOT_DECLARED');
  });
});
