import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { valibotJson } from './library-json.js';

/** Writes what it was asked for; a tuple in the way of draft-07 where it is old. */
const CONVERTER = `exports.toJsonSchema = ({ tuple, old }, { target }) => ({
  description: old ? 'draft-07' : target, type: 'array', ...tuple && { [old ? 'items' : 'prefixItems']: [{ type: 'string' }] },
});`;

describe('the JSON Schema of a schema of valibot', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'treadle-valibot-'));
    const home = join(folder, 'node_modules/@valibot/to-json-schema');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{ "name": "@valibot/to-json-schema", "main": "index.cjs" }');
    writeFileSync(join(home, 'index.cjs'), CONVERTER);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const json = (schema: object): ReturnType<typeof valibotJson> => valibotJson(schema, join(folder, 'a.step.ts'));

  it('is of the dialect that the engine reads', async () => {
    expect(await json({ tuple: true })).to.deep.equal({ schema: { description: 'draft-2020-12', type: 'array', prefixItems: [{ type: 'string' }] }, exact: false });
  });

  it('stays open where a converter that knows another dialect alone writes a tuple', async () => {
    expect(await json({ old: true })).to.deep.equal({ schema: { description: 'draft-07', type: 'array' }, exact: false });
    expect(await json({ old: true, tuple: true })).to.equal(undefined);
  });
});
