// Publishing to JetStream by its client alone: each message is acknowledged, and the last one of each key is kept.
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { operations, serve, VALUE } from './jobs.mjs';

const connection = await connect({ servers: process.argv[2] });
await (await jetstreamManager(connection)).streams.add({ name: 'raw-stream', subjects: ['raw.>'], max_msgs_per_subject: 1 });
const client = jetstream(connection);
serve({ item: (options) => operations((key) => client.publish(`raw.${key}`, JSON.stringify(VALUE)), options) });
