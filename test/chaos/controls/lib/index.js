import { Adapter, definePlugin, EngineInfo, Inject, InjectConfig, QueueSlot } from '@treadle/api';
import { AckFirst, Forgetful, Unfenced, Unordered } from './wrong-adapters.js';

const CONTROLS = [
  [AckFirst, 'acknowledges messages and writes them a little later'],
  [Unfenced, 'forgets who has a delivery after a moment and takes acknowledgements from anybody'],
  [Unordered, 'gives the messages of a group out side by side'],
  [Forgetful, 'ignores dedupe keys'],
];

for (const [control, summary] of CONTROLS) {
  Adapter({
    id: `chaos::queue::adapters::${control.name}`, slot: QueueSlot, summary, stability: 'experimental', since: '0.1.0',
    config: { type: 'object', properties: { durability: { enum: ['full', 'relaxed'], default: 'full' } } },
    capabilities: {
      durable: true, ordering: 'per_key', delayed: true, dedupe: true, multiEngine: false, atomicWith: [], maxMessageBytes: 1_000_000,
    },
  })(control);
  InjectConfig()(control, undefined, 0);
  Inject(EngineInfo)(control, undefined, 1);
}

export default definePlugin({
  name: 'treadle-chaos-controls', version: '0.1.0', api: '^0.1.0', adapters: CONTROLS.map(([control]) => control),
});
