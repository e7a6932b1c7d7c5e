import { expect } from 'chai';
import type { Finding } from '../contract/index.js';
import { findingPath } from './finding-path.js';

const path = (code: Finding['code'], more: Partial<Finding> = {}): string | undefined => findingPath({ id: code, severity: 'warning', code, message: '', remedy: '', about: {}, ...more });

describe('the place of a finding in the page', () => {
  it('is where one does something about it', () => {
    const about = { step: 'Notify me', topic: 'a/b' };
    for (const code of ['unrouted_messages', 'topic_without_consumer', 'topic_without_producer', 'subscription_paused', 'old_messages'] as const) expect(path(code, { about })).to.equal('/queues/a%2Fb');
    expect(path('dead_letters', { about })).to.equal('/queues/a%2Fb?tab=dead');
    expect(path('dead_letters', { about: { step: 'A', topic: '' } }), 'changes have no topic').to.equal('/queues/(changes)?tab=dead');
    expect(path('worker_crash')).to.equal('/modules?tab=workers');
    expect(path('sampled')).to.equal('/modules?tab=config');
    expect(path('memory_adapter', { about: { module: 'modules::a::B' } })).to.equal('/modules/modules%3A%3Aa%3A%3AB');
    for (const code of ['undeclared_enqueue', 'enqueue_never_seen', 'enqueue_cycle', 'step_diagnostic'] as const) expect(path(code, { about })).to.equal('/flows?step=Notify%20me');
    expect(path('step_diagnostic', { file: 'steps/a.step.ts' })).to.equal('/flows?file=steps%2Fa.step.ts');
    expect(path('failing_step', { about, path: '/traces?q=x' }), 'its own comes first').to.equal('/traces?q=x');
  });
});
