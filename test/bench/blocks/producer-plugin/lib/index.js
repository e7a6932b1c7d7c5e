import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { definePlugin, EngineInfo, Inject, Module, QueuePort } from '@treadle/api';

/** Runs a job of the bench for each line, with messages that go through the port; the application's meter counts them. */
class ProducerModule {
  #server;

  constructor(queue, engine) {
    this.queue = queue;
    this.engine = engine;
  }

  async start() {
    this.#server = createServer((socket) => {
      socket.on('error', () => undefined);
      createInterface({ input: socket }).on('line', (line) => void this.#job(JSON.parse(line)).then((result) => socket.write(`${JSON.stringify(result)}\n`)));
    });
    await new Promise((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    this.engine.announce('bench', `tcp://127.0.0.1:${this.#server.address().port}`);
  }

  async stop() {
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  async #job({ job, ...options }) {
    try {
      const meter = globalThis[Symbol.for('treadle.bench.meter')];
      const jobs = await import(process.env.BENCH_JOBS);
      return await jobs[job]({ send: (data) => this.queue.enqueue([{ topic: 'bench', data }]), meter }, options);
    } catch (error) {
      return { error: String(error?.stack ?? error) };
    }
  }
}

Inject(QueuePort)(ProducerModule, undefined, 0);
Inject(EngineInfo)(ProducerModule, undefined, 1);
Module({ id: 'bench::producer::ProducerModule', summary: 'Produces for a bench', stability: 'experimental', since: '0.1.0', config: { type: 'object' } })(ProducerModule);

export default definePlugin({ name: 'treadle-bench-producer', version: '0.1.0', api: '^0.1.0', modules: [ProducerModule] });
