// Asks addresses again and again over fresh connections, and prints how long the answers took when its stdin ends.
// A process of its own: the load's own work does not count as delay of the engine.
import { request } from 'node:http';

const [everyMs, ...urls] = process.argv.slice(2);
const took = urls.map(() => []);
const failed = urls.map(() => []);

function ask(index) {
  const began = performance.now();
  const sent = request(urls[index], { agent: false, timeout: 20_000 }, (response) => {
    response.resume();
    response.on('end', () => took[index].push(performance.now() - began));
  });
  sent.on('timeout', () => sent.destroy(new Error('no answer within 20 s')));
  sent.on('error', (error) => failed[index].push(error.message));
  sent.end();
}

const timers = urls.map((_, index) => setInterval(() => ask(index), Number(everyMs)));
process.stdin.resume().on('end', () => {
  for (const timer of timers) clearInterval(timer);
  setTimeout(() => process.stdout.write(JSON.stringify({ took, failed }), () => process.exit(0)), 500);
});
