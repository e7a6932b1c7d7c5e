import { expect } from 'chai';
import { addFiles, makeApp, removeApp, runCli } from '../cli.fixture.js';

const QUEUE = "{ type: 'queue', topic: 't' }";
const HTTP = "{ type: 'http', method: 'GET', path: '/b' }";
const atomic = (name: string, trigger: string): string => `export const config = {\n  name: '${name}',\n  atomic: true,\n  triggers: [${trigger}],\n};\nexport const handler = async () => undefined;\n`;

describe('treadle check, of atomic Steps', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(() => { folder = makeApp(); });
  afterEach(() => removeApp(folder));
  const check = () => runCli(['check'], { cwd: folder });

  it('refuses atomic Steps where nothing can be committed together, with the lines of the configuration', async () => {
    addFiles(folder, {
      'config.yaml': 'modules:\n  - class: modules::queue::QueueModule\n  - class: modules::state::StateModule\n    config:\n'
        + '      adapter: { class: modules::state::adapters::Sqlite, config: { file_path: state.db } }\n',
      'steps/a.step.ts': atomic('A', QUEUE), 'steps/b.step.ts': atomic('B', HTTP),
    });
    const { code, stdout } = await check();
    expect(stdout.match(/^.*STEP_NOT_ATOMIC.*$/gm)).to.deep.equal([
      'steps/a.step.ts:3  error  STEP_NOT_ATOMIC  config.atomic: a Step with trigger kind queue cannot be atomic here: state is kept by modules::state::adapters::Sqlite (config.yaml:5:16), '
        + 'which does not share a store with modules::queue::adapters::Sqlite (config.yaml:2:5)',
      'steps/b.step.ts:3  error  STEP_NOT_ATOMIC  config.atomic: a Step with trigger kind http cannot be atomic here: a request has no acknowledgement that its writes could be committed with',
    ]);
    expect(code).to.equal(65);
    addFiles(folder, { 'config.yaml': 'modules:\n  - class: modules::queue::QueueModule\n', 'steps/b.step.ts': `export const config = { name: 'B', triggers: [${HTTP}] };\nexport const handler = async () => undefined;\n` });
    expect((await check()).stdout).not.to.include('STEP_NOT_ATOMIC');
  });

  it('lets Steps be atomic on one prefix of a Redis, and not where a slot has another one', async () => {
    const adapter = (slot: string, name: string, prefix: string): string => `  - class: modules::${slot}::${name}Module\n    config:\n`
      + `      adapter: { class: modules::${slot}::adapters::Redis, config: { url: 'redis://127.0.0.1:1', prefix: ${prefix} } }\n`;
    const config = (prefix: string): string => `plugins: ['@treadle/redis']\nmodules:\n${adapter('queue', 'Queue', 'one')}${adapter('state', 'State', 'one')}${adapter('stream', 'Stream', prefix)}`;
    addFiles(folder, { 'config.yaml': config('other'), 'steps/a.step.ts': atomic('A', QUEUE) });
    expect((await check()).stdout.match(/^.*STEP_NOT_ATOMIC.*$/gm)).to.deep.equal([
      'steps/a.step.ts:3  error  STEP_NOT_ATOMIC  config.atomic: a Step with trigger kind queue cannot be atomic here: streams are kept by modules::stream::adapters::Redis (config.yaml:11:16), '
        + 'which does not share a store with modules::queue::adapters::Redis (config.yaml:5:16)',
    ]);
    addFiles(folder, { 'config.yaml': config('one') });
    const { stdout, code } = await check();
    expect(stdout).not.to.include('STEP_NOT_ATOMIC');
    expect(code).to.equal(0);
  });
});
