// A process of its own: asks /health again and again and prints the milliseconds of each answer, as long as its standard input is open. Arguments: address.
import { request } from 'node:http';

const url = `${process.argv[2]}/health`;
const PAUSE_MS = 20;

function probe() {
  const began = performance.now();
  request(url, (response) => {
    response.resume().on('end', () => {
      process.stdout.write(`${Math.round(performance.now() - began)}\n`);
      setTimeout(probe, PAUSE_MS).unref();
    });
  }).on('error', () => setTimeout(probe, PAUSE_MS).unref()).end();
}

process.stdin.resume();
probe();
