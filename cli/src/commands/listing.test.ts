import { expect } from 'chai';
import { makeApp, removeApp, runCli } from '../cli.fixture.js';

const FILES = {
  'package.json': '{"name":"shop","type":"module"}',
  'steps/order.step.js': `import { step, http } from 'treadle';
export default step({ name: 'Order', triggers: [http('POST', '/orders'), http('GET', '/orders')], enqueues: ['order.placed'] }, async () => ({ status: 200 }));`,
  'steps/ship.step.js': `import { step, queue } from 'treadle';
export default step({ name: 'Ship', triggers: [queue('order.placed')] }, async () => {});`,
};

describe('commands that list Steps', () => {
  let folder: string;
  before(() => { folder = makeApp(FILES); });
  after(() => removeApp(folder));
  const run = (...args: string[]) => runCli(args, { cwd: folder });

  it('treadle routes lists every http trigger by path', async () => {
    const { code, stdout } = await run('routes');
    expect(code).to.equal(0);
    expect(stdout).to.equal('METHOD  PATH     STEP   FILE\nGET     /orders  Order  steps/order.step.js\nPOST    /orders  Order  steps/order.step.js\n');
  });

  it('treadle routes shows which middleware files a route is behind', async () => {
    const guarded = makeApp({ ...FILES, 'steps/guard.middleware.js': 'export const config = { path: "/orders" };\nexport default (request, ctx, next) => next();' });
    try {
      const { stdout } = await runCli(['routes'], { cwd: guarded });
      expect(stdout.split('\n').slice(0, 2)).to.deep.equal([
        'METHOD  PATH     STEP   FILE                 BEHIND', 'GET     /orders  Order  steps/order.step.js  steps/guard.middleware.js',
      ]);
    } finally {
      removeApp(guarded);
    }
  });

  it('treadle steps lists what starts each Step and what it enqueues', async () => {
    const { stdout } = await run('steps', '--json');
    expect(JSON.parse(stdout)).to.deep.equal({ steps: [
      { step: 'Order', triggers: ['POST /orders', 'GET /orders'], enqueues: ['order.placed'], flows: [], file: 'steps/order.step.js' },
      { step: 'Ship', triggers: ['queue order.placed'], enqueues: [], flows: [], file: 'steps/ship.step.js' },
    ] });
  });

  it('treadle steps lists setups and opens none; check names two with one name', async () => {
    const opened = "export const open = () => { throw new Error('opened'); };";
    const app = makeApp({ ...FILES, 'steps/db.setup.js': opened, 'steps/in/db.setup.js': opened, 'steps/mail-box.setup.js': opened, 'steps/app.env.js': "export const schema = { properties: { NEVER_SET: {} }, required: ['NEVER_SET'] };" });
    try {
      const { code, stdout, stderr } = await runCli(['steps'], { cwd: app });
      expect(stdout).to.match(/\n\nSETUP {4}FILE\ndb {7}steps\/db\.setup\.js\ndb {7}steps\/in\/db\.setup\.js\nmailBox {2}steps\/mail-box\.setup\.js\n$/);
      expect([code, stderr.split('\n')[0]]).to.deep.equal([65, 'steps/in/db.setup.js:1  error  STEP_DUPLICATE_NAME  the setup "db" is there twice, also in steps/db.setup.js']);
    } finally {
      removeApp(app);
    }
  });

  it('treadle graph --steps follows the topics', async () => {
    expect((await run('graph', '--steps')).stdout).to.equal(
      'Order  steps/order.step.js\n├─ started by POST /orders\n├─ started by GET /orders\n└─ enqueues order.placed → Ship\nShip  steps/ship.step.js\n');
    expect((await run('graph', '--steps', '--mermaid')).stdout).to.match(/^flowchart LR\n/).and.include('s1 -- "order.placed" --> s2');
  });

  it('lists what is in order, names the rest on stderr and exits with 65', async () => {
    const broken = makeApp({ ...FILES, 'steps/bad.step.js': 'export default 1;' });
    try {
      const { code, stdout, stderr } = await runCli(['routes'], { cwd: broken });
      expect(code).to.equal(65);
      expect(stdout).to.include('/orders');
      expect(stderr).to.include('steps/bad.step.js:1');
    } finally {
      removeApp(broken);
    }
  });
});
