import { startNats } from '../../../../plugins/nats/src/testing/server.fixture.js';
import { type Contestant, startPeer } from '../../blocks/src/contestant-process.js';
import type { ItemOptions, ItemResult } from '../../blocks/src/item.js';
import { startBlocks } from '../../blocks/src/treadle-blocks.js';
import type { NamedAdapter } from '../../../support/shared-backends.js';
import { measure } from './measurement.js';
import { filled, operationsMeasurement } from './operations-measurement.js';
import { queueMeasurement } from './queue-measurement.js';

/** Queue, state and streams against the clients of NATS alone. */
export async function natsItem(options: ItemOptions): Promise<readonly ItemResult[]> {
  const server = await startNats();
  const ours = (name: string): Promise<Contestant> => {
    const config = { url: server.url, name };
    const adapter = (slot: string): NamedAdapter => ({ class: `modules::${slot}::adapters::Nats`, config });
    return startBlocks({ backend: { plugins: ['@treadle/nats'], queue: adapter('queue'), state: adapter('state'), stream: adapter('stream') } });
  };
  try {
    return [
      await measure(queueMeasurement('NATS, queue', [
        { id: 'ours', name: 'Treadle, ctx.enqueue', start: () => ours('queue') },
        { id: 'raw', name: '@nats-io/jetstream, the same acknowledgements', start: () => startPeer('nats-queue.mjs', server.url) },
        { id: 'batches', name: 'the same client, the same batches', start: () => startPeer('nats-queue.mjs', server.url, 'batches') },
      ], [{ what: 'NATS queue, against @nats-io/jetstream', side: 'ours', figure: 'perSecond', against: 'raw', atLeast: 0.7 }]), options),
      await measure(operationsMeasurement('NATS, state', ['get', 'set'], [
        { id: 'ours', name: 'Treadle, ctx.state', start: () => filled(ours('state')) },
        { id: 'raw', name: '@nats-io/kv', start: () => startPeer('nats-state.mjs', server.url) },
      ], [{ what: 'NATS state.get, against @nats-io/kv', side: 'ours', figure: 'get', against: 'raw', atLeast: 0.8 }]), options),
      await measure(operationsMeasurement('NATS, streams', ['item'], [
        { id: 'ours', name: 'Treadle, streams.set', start: () => ours('stream') },
        { id: 'raw', name: '@nats-io/jetstream, publish with its acknowledgement', start: () => startPeer('nats-stream.mjs', server.url) },
      ], [{ what: 'NATS streams.set, against publishing to JetStream', side: 'ours', figure: 'item', against: 'raw', atLeast: 0.7 }]), options),
    ];
  } finally {
    await server.stop();
  }
}
