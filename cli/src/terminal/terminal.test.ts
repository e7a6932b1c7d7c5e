import { expect } from 'chai';
import { paint, paintError } from './paint.js';
import { Progress } from './progress.js';
import { count, formatTable } from './table.js';

const TERMINAL = { isTTY: true, columns: 30 };
const PIPE = { isTTY: false };

describe('the terminal', () => {
  const { NO_COLOR, TERM } = process.env;
  beforeEach(() => {
    delete process.env['NO_COLOR'];
    process.env['TERM'] = 'xterm';
  });
  afterEach(() => {
    if (NO_COLOR !== undefined) process.env['NO_COLOR'] = NO_COLOR;
    if (TERM !== undefined) process.env['TERM'] = TERM;
  });

  it('gets colours only where it wants them', () => {
    expect(paint('red', 'x', TERMINAL)).to.equal('\u001b[31mx\u001b[39m');
    expect(paint('red', 'x', PIPE)).to.equal('x');
    process.env['TERM'] = 'dumb';
    expect(paint('red', 'x', TERMINAL)).to.equal('x');
    process.env['TERM'] = 'xterm';
    process.env['NO_COLOR'] = '1';
    expect(paint('red', 'x', TERMINAL)).to.equal('x');
  });

  it('colours an error without changing its text', () => {
    for (const text of ['a.yaml:1:2  error  CODE  two  spaces\n    hint: do it', 'warning  CODE  text', 'error  CODE  text']) {
      expect(paintError(text, PIPE)).to.equal(text);
      const painted = paintError(text, TERMINAL);
      expect(painted).to.include('\u001b[');
      expect(painted.replace(/\u001b\[\d+m/g, '')).to.equal(text);
    }
  });

  it('lays out columns without spaces at the end', () => {
    expect(formatTable([['A', 'LONG', ''], ['long', 'x', 'y'], ['z', '', '']])).to.equal('A     LONG\nlong  x     y\nz');
    expect([count(0, 'error'), count(1, 'error'), count(2, 'error')]).to.deep.equal(['0 errors', '1 error', '2 errors']);
  });

  it('wraps the last column into the terminal, unless too little is left for it', () => {
    const rows = [['KEY', 'MEANING'], ['a', 'one two three four five six'], ['b', '']];
    expect(formatTable(rows, 30)).to.equal('KEY  MEANING\na    one two three four five\n     six\nb');
    expect(formatTable(rows, 20)).to.equal('KEY  MEANING\na    one two three four five six\nb');
  });

  it('shows progress in place on a terminal and as plain lines elsewhere', () => {
    const shown: string[] = [];
    const progress = new Progress('working', { ...TERMINAL, write: (text) => shown.push(text) });
    progress.update('on it');
    progress.end('done');
    expect(shown[0]).to.match(/^\r\u001b\[2K. working 0 s$/);
    expect(shown.at(-1)?.replace(/\u001b\[\d+m/g, '')).to.equal('✓ done\n');

    const plain: string[] = [];
    const quiet = new Progress('working', { ...PIPE, write: (text) => plain.push(text) });
    quiet.end('failed', false);
    expect(plain).to.deep.equal(['working …\n', 'failed\n']);
  });

  it('never lets progress wrap', () => {
    const shown: string[] = [];
    const progress = new Progress('x'.repeat(100), { ...TERMINAL, write: (text) => shown.push(text) });
    progress.clear();
    expect(shown[0]?.length).to.equal('\r\u001b[2K'.length + 29);
  });
});
