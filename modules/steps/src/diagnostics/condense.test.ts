import type { Diagnostic } from '@treadle/api';
import { expect } from 'chai';
import { condense } from './condense.js';

describe('diagnostics for people', () => {
  const of = (file: string, code: string, message = 'no Python'): Diagnostic => ({ severity: 'error', code, file, line: 1, message, remedy: 'install it' });

  it('say once what concerns many files', () => {
    const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const [only, ...none] = condense(files.map((file) => of(file, 'STEP_NO_INTERPRETER')));
    expect(none).to.deep.equal([]);
    expect(only).to.deep.include({ file: 'a', message: 'no Python; the same holds for b, c, d, e, f and 2 more' });
  });

  it('leave what is about a file, and texts that differ', () => {
    const all = [of('a', 'STEP_SYNTAX'), of('b', 'STEP_SYNTAX'), of('c', 'STEP_NO_RUNTIME', 'no Node'), of('d', 'STEP_NO_RUNTIME', 'no Python')];
    expect(condense(all)).to.deep.equal(all);
  });
});
