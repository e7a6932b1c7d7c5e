import type { Diagnostic, Logger } from '@treadle/api';
import { expect } from 'chai';
import { DiagnosticLog } from './diagnostic-log.js';

describe('the log of diagnostics', () => {
  let said: string[];
  let log: DiagnosticLog;
  const say = (message: string, fields: { readonly problem?: string } = {}): number => said.push(fields.problem ?? message);
  beforeEach(() => {
    said = [];
    log = new DiagnosticLog({ error: say, warn: say, info: say } as unknown as Logger);
  });
  const of = (severity: Diagnostic['severity'], message: string): Diagnostic => ({ severity, code: 'STEP_X', file: 'a', line: 1, message, remedy: 'r' });
  const [warning, error] = [of('warning', 'nobody enqueues'), of('error', 'syntax')];

  it('says each once, and when none is left', () => {
    for (const now of [[error], [error, warning], [warning], []]) log.show(now);
    expect(said).to.deep.equal(['syntax', 'nobody enqueues', 'no Step has a problem any more']);
  });

  it('does not take a warning for mended that is held back while a file is not known', () => {
    log.show([warning]);
    log.show([], false);
    log.show([error], false);
    log.show([warning]);
    expect(said).to.deep.equal(['nobody enqueues', 'syntax']);
    log.show([]);
    expect(said).to.deep.equal(['nobody enqueues', 'syntax', 'no Step has a problem any more']);
  });
});
