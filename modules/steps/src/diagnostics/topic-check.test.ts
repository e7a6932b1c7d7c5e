import type { StepFileReport } from '@treadle/api';
import { expect } from 'chai';
import { httpKind, queueKind, report } from './diagnose.fixture.js';
import { diagnose, type DiagnoseInput } from './diagnose.js';
import { formatDiagnostic } from './format-diagnostic.js';

describe('diagnose, for topics', () => {
  const step = (name: string, config: object): StepFileReport => report(name, { name, triggers: [], ...config });
  const consumer = (name: string, topic: string, input?: object): StepFileReport => step(name, { triggers: [{ type: 'queue', topic, ...(input && { input }) }] });
  const printed = (reports: readonly StepFileReport[], more: Partial<DiagnoseInput> = {}): string[] =>
    diagnose({ reports, kinds: [httpKind, queueKind], root: '/app', ...more }).diagnostics.map(formatDiagnostic);
  const properties = (type: string): object => ({ type: 'object', properties: { id: { type } }, required: ['id'] });

  it('says nothing of topics that are enqueued and consumed', () => {
    expect(printed([step('A', { enqueues: ['t'] }), consumer('B', 't'), consumer('C', 't')])).to.deep.equal([]);
  });

  it('warns of a topic that is enqueued and that nobody consumes, and lets the Step serve', () => {
    const reports = [step('A', { enqueues: ['ticket.closed'] })];
    expect(printed(reports)).to.deep.equal([
      'steps/A.step.ts:3  warning  STEP_TOPIC_NOT_CONSUMED  config.enqueues: no Step consumes topic "ticket.closed"; its messages are kept for 7 days\n'
      + '    hint: add a Step with a queue trigger for "ticket.closed", or name it in "virtualSubscribes" of the Step that stands for its consumer']);
    const { steps, faulty } = diagnose({ reports, kinds: [queueKind], root: '/app' });
    expect([steps.length, faulty.size]).to.deep.equal([1, 0]);
  });

  it('warns of a topic that is consumed and that nobody enqueues', () => {
    expect(printed([consumer('A', 't')])).to.deep.equal([
      'steps/A.step.ts:3  warning  STEP_TOPIC_NOT_ENQUEUED  config.triggers[0]: no Step enqueues to topic "t"\n'
      + '    hint: list "t" in "enqueues" of the Step that sends it, or in "virtualEnqueues" of one that stands for its sender']);
  });

  it('suggests the name that was meant', () => {
    expect(printed([step('A', { enqueues: ['ticket.created'] }), consumer('B', 'ticket.craeted')]).map((text) => text.split('hint: ')[1])).to.deep.equal([
      'did you mean "ticket.craeted"?', 'did you mean "ticket.created"?']);
  });

  it('suggests a topic that has both of its ends when it is the same one misspelt, and no other', () => {
    const whole = [step('A', { enqueues: ['ticket.created'] }), consumer('B', 'ticket.created'), step('C', { enqueues: ['ticketCreated'] })];
    expect(printed(whole)).to.deep.equal([
      'steps/C.step.ts:3  warning  STEP_TOPIC_NOT_CONSUMED  config.enqueues: no Step consumes topic "ticketCreated"; its messages are kept for 7 days\n'
      + '    hint: did you mean "ticket.created"?']);
    const [text] = printed([step('A', { enqueues: ['ticket.closed', 'ticket.created'] }), consumer('B', 'ticket.created')]);
    expect(text).to.match(/topic "ticket\.closed".*\n {4}hint: add a Step with a queue trigger for "ticket\.closed"/);
  });

  it('counts what is only drawn', () => {
    expect(printed([step('A', { enqueues: ['t'], virtualEnqueues: ['u'] }), step('B', { virtualSubscribes: ['t'] }), consumer('C', 'u')])).to.deep.equal([]);
  });

  it('warns when no message can fit the schemas of two consumers, naming the other one and the reason', () => {
    const reports = [step('S', { enqueues: ['t'] }), consumer('A', 't', properties('string')), consumer('B', 't'), consumer('C', 't', properties('number'))];
    expect(printed(reports)).to.deep.equal([
      'steps/C.step.ts:3  warning  STEP_TOPIC_CONTRADICTION  config.triggers[0].input: no message of topic "t" can fit both this schema and that of '
      + 'Step "A" in steps/A.step.ts:3: "id" is string in one and number in the other\n    hint: let both use one topic() with its schema, or two topics']);
  });

  it('says nothing where the other end may exist: in a disabled Step, a file that cannot be loaded, one that is not known yet', () => {
    const enqueuer = step('A', { enqueues: ['t'] });
    expect(printed([enqueuer, step('B', { flow: [], triggers: [{ type: 'queue', topic: 't' }] })]).map((text) => text.split('  ')[2])).to.deep.equal(['STEP_UNKNOWN_KEY']);
    expect(printed([enqueuer, { file: 'steps/b.step.ts', steps: [], problem: { kind: 'syntax', message: '' } }])).to.have.length(1);
    expect(printed([enqueuer], { partial: true })).to.deep.equal([]);
    expect(printed([enqueuer], { kinds: [httpKind] })).to.deep.equal([]);
  });
});
