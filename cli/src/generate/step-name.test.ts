import { isStepFile } from '@treadle/worker/discover';
import { expect } from 'chai';
import { stepName } from './step-name.js';

describe('the name of a new Step', () => {
  it('says where it goes, in the way of its language', () => {
    expect(stepName('tickets/CreateTicket', 'ts')).to.deep.equal({ name: 'CreateTicket', slug: 'create-ticket', file: 'steps/tickets/create-ticket.step.ts' });
    for (const language of ['ts', 'js', 'py'] as const) expect(stepName('test', language).file.split('/').pop()).to.satisfy(isStepFile);
  });

  it('is refused where no Steps are looked for', () => {
    for (const name of ['node_modules/x', 'dist/x', 'a/dist/b/x']) {
      expect(() => stepName(name, 'py'), name).to.throw(`steps/${name} would never be loaded`).with.property('hint', 'choose another folder');
    }
    expect(stepName('distribution/dist', 'ts').file).to.equal('steps/distribution/dist.step.ts');
  });
});
