import { definePlugin, InjectConfig, Module } from '@treadle/api';
import { memory } from './memory.js';

const TICK_MS = 100;
const PIECE_BYTES = 256;

/** Answers `GET /memory`; with `leak_bytes_per_second` it also keeps what nobody needs. */
class ProbeModule {
  #timer;
  #kept = [];

  constructor(config) {
    this.config = config;
  }

  async init({ admin }) {
    admin.get('/memory', async () => memory());
  }

  async start({ clock }) {
    const pieces = Math.round((this.config.leak_bytes_per_second ?? 0) * (TICK_MS / 1000) / PIECE_BYTES);
    if (pieces === 0) return;
    this.#timer = clock.every(TICK_MS, () => {
      for (let n = 0; n < pieces; n++) this.#kept.push(Buffer.from('x'.repeat(PIECE_BYTES)).toString('latin1'));
    });
  }

  async stop() {
    this.#timer?.cancel();
    this.#kept = [];
  }
}

InjectConfig()(ProbeModule, undefined, 0);
Module({
  id: 'soak::probe::ProbeModule', summary: 'Tells how much memory is alive', stability: 'experimental', since: '0.1.0',
  config: { type: 'object', additionalProperties: false, properties: { leak_bytes_per_second: { type: 'integer', description: 'What is kept for nothing; default 0' } } },
})(ProbeModule);

export default definePlugin({ name: 'treadle-soak-probe', version: '0.1.0', api: '^0.1.0', modules: [ProbeModule] });
