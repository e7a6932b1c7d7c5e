// npm run rolling -- [--restarts 200] [--connections 32] [--pause 40] [--haproxy PATH] [--own]
// One JSON line; ends with 1 when something was wrong. --own: the balancer of the tests instead of HAProxy.
import { parseArgs } from 'node:util';
import { Haproxy, hasHaproxy } from './src/haproxy.js';
import { runRolling } from './src/rolling-run.js';
import { SmallBalancer } from './src/small-balancer.js';

const { values } = parseArgs({
  options: {
    restarts: { type: 'string', default: '200' }, connections: { type: 'string', default: '32' }, pause: { type: 'string', default: '40' },
    haproxy: { type: 'string', default: 'haproxy' }, own: { type: 'boolean', default: false },
  },
});
const [restarts, connections, pauseMs] = [Number(values.restarts), Number(values.connections), Number(values.pause)];
if (!(restarts > 0 && connections > 0 && pauseMs >= 0)) throw new Error('--restarts and --connections are above 0, --pause is a number of milliseconds');
if (!values.own && !hasHaproxy(values.haproxy)) throw new Error(`there is no program "${values.haproxy}": install HAProxy, name it with --haproxy, or take the balancer of the tests with --own`);

process.stderr.write(`[rolling] ${restarts} restarts\n`);
const result = await runRolling({
  restarts, connections, pauseMs, balancer: (ports) => (values.own ? SmallBalancer.start(ports) : Haproxy.start(values.haproxy, ports)),
});
process.stdout.write(`${JSON.stringify({ test: 'rolling', ok: result.faults.length === 0, balancer: values.own ? 'own' : 'haproxy', ...result })}\n`);
if (result.faults.length > 0) process.exitCode = 1;
