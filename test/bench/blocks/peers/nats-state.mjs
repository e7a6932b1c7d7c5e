// A bucket of @nats-io/kv, one question for each operation.
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { serveState, VALUE } from './jobs.mjs';

const bucket = await new Kvm(await connect({ servers: process.argv[2] })).create('raw');
await serveState({
  get: async (key) => (await bucket.get(key)).json(),
  set: (key) => bucket.put(key, JSON.stringify(VALUE)),
});
