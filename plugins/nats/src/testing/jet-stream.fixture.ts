import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConfig } from '../store/store.config.js';

/** What the server says of a stream of a store. */
export async function streamInfo({ url, name }: NatsConfig, kind: 'queue' | 'state' | 'streams' | 'records', filter = '>'): Promise<StreamInfo> {
  const connection = await connect({ servers: url });
  try {
    return await (await jetstreamManager(connection)).streams.info(`treadle-${name}-${kind}`, { subjects_filter: filter });
  } finally {
    await connection.close();
  }
}
