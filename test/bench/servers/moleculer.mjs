// Two processes: this one is the gateway; it starts itself once more as the worker node that holds the action.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import moleculer from 'moleculer';
import ApiGateway from 'moleculer-web';
import { HELLO, announce } from './announce.mjs';

const [, , role, ...ports] = process.argv;
if (role === 'worker') await runWorker(ports.map(Number));
else await runGateway([await freePort(), await freePort()]);

async function runWorker([gatewayPort, workerPort]) {
  const broker = makeBroker('worker', gatewayPort, workerPort);
  broker.createService({ name: 'demo', actions: { hello: () => HELLO } });
  await broker.start();
  process.stdout.write('started\n');
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
}

async function runGateway([gatewayPort, workerPort]) {
  const args = [process.argv[1], 'worker', gatewayPort, workerPort].map(String);
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  await once(worker.stdout, 'data');
  const broker = makeBroker('gateway', gatewayPort, workerPort);
  const routes = [{ path: '/', mappingPolicy: 'restrict', bodyParsers: false, aliases: { 'GET hello': 'demo.hello' } }];
  const gateway = broker.createService({ mixins: [ApiGateway], settings: { port: 0, ip: '127.0.0.1', logRequest: null, logResponse: null, routes } });
  await broker.start();
  await broker.waitForServices('demo');
  announce(gateway.server.address().port, [process.pid, worker.pid]);
}

function makeBroker(nodeID, gatewayPort, workerPort) {
  const urls = [`127.0.0.1:${gatewayPort}/gateway`, `127.0.0.1:${workerPort}/worker`];
  return new moleculer.ServiceBroker({ nodeID, logger: false, transporter: { type: 'TCP', options: { udpDiscovery: false, urls } } });
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
