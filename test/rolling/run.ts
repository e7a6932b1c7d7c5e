// npm run rolling -- [--restarts 200] [--connections 32] [--pause 40] [--haproxy PATH] [--own]
// One JSON line; ends with 1 when something was wrong. --own: the balancer of the tests instead of HAProxy.
import { aboveZero, campaignOptions, progress, tell } from '../support/campaign.js';
import { Haproxy, hasHaproxy } from './src/haproxy.js';
import { runRolling } from './src/rolling-run.js';
import { SmallBalancer } from './src/small-balancer.js';

const { restarts, connections, pause: pauseMs, haproxy, own } = campaignOptions({ restarts: 200, connections: 32, pause: 40, haproxy: 'haproxy', own: false });
aboveZero({ restarts, connections });
if (!own && !hasHaproxy(haproxy)) throw new Error(`there is no program "${haproxy}": install HAProxy, name it with --haproxy, or take the balancer of the tests with --own`);

progress('rolling', `${restarts} restarts`);
const result = await runRolling({
  restarts, connections, pauseMs, balancer: (ports) => (own ? SmallBalancer.start(ports) : Haproxy.start(haproxy, ports)),
});
tell('rolling', result.faults.length === 0, { balancer: own ? 'own' : 'haproxy', ...result });
