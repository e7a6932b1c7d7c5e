import { expect } from 'chai';
import { describeError } from './failure.js';

function thrown(...frames: readonly string[]): string | undefined {
  const error = new Error('boo');
  error.stack = ['Error: boo', ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return describeError(error).stack;
}

describe('the stack of an error', () => {
  it('has the frames of the application and of its packages, not of what runs it', () => {
    expect(thrown(
      'pay (file:///app/steps/pay.step.ts?t=3:4:9)', 'call (/app/node_modules/pg/lib/client.js:1:1)',
      'handle (file:///app/node_modules/@treadle/worker/dist/running/pipeline.js:80:21)', 'run (/app/node_modules/@treadle/engine/dist/bundle/child.js:1:2)',
      'process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    )).to.equal('Error: boo\n    at pay (file:///app/steps/pay.step.ts:4:9)\n    at call (/app/node_modules/pg/lib/client.js:1:1)');
  });

  it('stays as it is when there are no other frames', () => {
    const own = 'run (/app/node_modules/@treadle/worker/dist/child.js:1:2)';
    expect(thrown(own)).to.equal(`Error: boo\n    at ${own}`);
  });
});
