import { chmodSync, mkdtempSync, mkdirSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatError } from '@treadle/api';
import { expect } from 'chai';
import { MAX_CONFIG_BYTES, readConfig } from './index.js';

describe('readConfig', () => {
  let folder: string;
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'treadle-config-')); });
  afterEach(() => rmSync(folder, { recursive: true }));

  const read = (name: string): { value: string | undefined; errors: string[] } => {
    const { value, issues } = readConfig(join(folder, name), name);
    return { value, errors: issues.map(formatError) };
  };
  const write = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, name), content);

  it('gives the text', () => {
    write('c.yaml', 'modules: [] # ü');
    expect(read('c.yaml')).to.deep.equal({ value: 'modules: [] # ü', errors: [] });
  });

  it('names a file that is not there', () => {
    expect(read('no.yaml')).to.deep.equal({ value: undefined, errors: ['no.yaml  error  CONFIG_NOT_FOUND  there is no file "no.yaml"'] });
    write('c.yaml', '');
    expect(read('c.yaml/x.yaml').errors).to.deep.equal(['c.yaml/x.yaml  error  CONFIG_NOT_FOUND  there is no file "c.yaml/x.yaml"']);
  });

  it('refuses a folder', () => {
    mkdirSync(join(folder, 'dir'));
    expect(read('dir').errors).to.deep.equal(['dir  error  CONFIG_NOT_READABLE  "dir" cannot be read: it is a folder']);
  });

  it('refuses bytes that are not UTF-8', () => {
    write('c.yaml', Uint8Array.of(0x61, 0xff, 0xfe));
    expect(read('c.yaml').errors).to.deep.equal(['c.yaml  error  CONFIG_NOT_READABLE  "c.yaml" cannot be read: it is not UTF-8 text']);
  });

  it('says when the file may not be read', function () {
    // Root may read any file, whatever its mode.
    if (process.getuid?.() === 0) this.skip();
    write('c.yaml', '');
    chmodSync(join(folder, 'c.yaml'), 0);
    expect(read('c.yaml').errors).to.deep.equal(['c.yaml  error  CONFIG_NOT_READABLE  "c.yaml" cannot be read: permission denied']);
  });

  it('passes on other reasons of the system', () => {
    const name = 'x'.repeat(300);
    expect(read(name).errors).to.deep.equal([`${name}  error  CONFIG_NOT_READABLE  "${name}" cannot be read: ENAMETOOLONG`]);
    const [issue] = readConfig('a\0b', 'a').issues;
    expect(formatError(issue!)).to.equal('a  error  CONFIG_NOT_READABLE  "a" cannot be read: ERR_INVALID_ARG_VALUE');
  });

  it('reads one megabyte and refuses one byte more', () => {
    write('full.yaml', '#'.repeat(MAX_CONFIG_BYTES));
    write('over.yaml', '#'.repeat(MAX_CONFIG_BYTES + 1));
    expect(read('full.yaml').errors).to.deep.equal([]);
    expect(read('over.yaml').errors).to.deep.equal(['over.yaml  error  CONFIG_TOO_LARGE  "over.yaml" has 1000001 bytes; at most 1000000 are read']);
  });

  it('measures what it has read where the system does not know the size beforehand', function () {
    // Only Linux has such files; where it is, failing to read it is a failure.
    if (!existsSync('/proc/self/status')) this.skip();
    const { value, issues } = readConfig('/proc/self/status', 'status');
    expect(issues).to.deep.equal([]);
    expect(value).to.contain('Name:');
  });
});
