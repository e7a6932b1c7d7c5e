import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { cliProgram, EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { testConfig } from '../support/sample-steps.js';
import { tempApplication, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const FILE = 'steps/treadle-types.d.ts';
const consumer = (type: string): string => `export const config = {
  name: 'Consumer', triggers: [{ type: 'queue', topic: 'ticket.created', input: { type: 'object', required: ['id'], properties: { id: { type: '${type}' } } } }],
};
export const handler = async () => {};
`;
const SENDER = "export const config = { name: 'Sender', triggers: [{ type: 'http', method: 'GET', path: '/' }], enqueues: ['ticket.created'] };\nexport const handler = async () => {};\n";

describe('types in development', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  async function dev(files: Readonly<Record<string, string>>): Promise<{ readonly cwd: string; readonly text: () => string }> {
    const cwd = tempApplication({ 'config.yaml': testConfig(), 'steps/sender.step.ts': SENDER, ...files });
    await new EngineProcess({ cwd, program: cliProgram(), args: ['dev', '--config', 'config.yaml'] }).ready();
    return { cwd, text: () => readFileSync(join(cwd, FILE), 'utf8') };
  }

  it('are kept up to date once they are there, also past a broken Step', async () => {
    const { cwd, text } = await dev({ [FILE]: '// to be renewed\n', 'steps/consumer.step.ts': consumer('string') });
    await waitUntil('the types', () => text().includes("'ticket.created': { id: string };"));
    const before = statSync(join(cwd, FILE)).mtimeMs;
    writeFiles(cwd, { 'steps/consumer.step.ts': 'export const nonsense = ;\n' });
    writeFiles(cwd, { 'steps/late.step.ts': SENDER.replace('Sender', 'Late').replace("'/'", "'/late'") });
    writeFiles(cwd, { 'steps/consumer.step.ts': consumer('number') });
    await waitUntil('the changed types', () => text().includes("'ticket.created': { id: number };"));
    expect(statSync(join(cwd, FILE)).mtimeMs).to.be.greaterThan(before);
  });

  it('are not made where nobody asked for them', async () => {
    const { cwd } = await dev({ 'steps/consumer.step.ts': consumer('string') });
    expect(existsSync(join(cwd, FILE))).to.equal(false);
  });
});
