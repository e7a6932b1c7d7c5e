/** A plugin of a third party with everything that a class can declare; list it as `./acme` in `plugins:`. */
export const ACME_PLUGIN: Readonly<Record<string, string>> = {
  'acme/package.json': JSON.stringify({
    name: 'acme-treadle-sqs', version: '0.3.1', type: 'module', keywords: ['treadle-plugin'],
    treadle: {
      api: '^0.1.0', entry: './index.js',
      provides: ['acme::queue::FastQueue', 'acme::queue::Meter', 'acme::queue::Former', 'acme::queue::adapters::Sqs'],
    },
    oclif: { commands: './commands' },
    peerDependencies: { '@treadle/api': '^0.1.0' },
  }),
  'acme/commands/sqs/drain.js': `
import { Command } from '@oclif/core';
export default class Drain extends Command {
  static summary = 'Drains a queue.';
  async run() { await this.parse(Drain); this.log('drained'); }
}
`,
  'acme/index.js': `
import { Adapter, Inject, InjectAdapter, InjectConfig, Module, bind, definePlugin, slot, token } from '@treadle/api';

const QueuePort = token('acme.QueuePort');
const QueueSlot = slot('queue');

class Sqs { constructor(config) { this.config = config; } }
InjectConfig()(Sqs, undefined, 0);
Adapter({
  id: 'acme::queue::adapters::Sqs', slot: QueueSlot, summary: 'Keeps messages in SQS.', stability: 'alpha', since: '0.2.0',
  config: {
    type: 'object', additionalProperties: false, required: ['region'],
    properties: {
      region: { type: 'string', description: 'Region of the service.', examples: ['eu-central-1'] },
      secret_key: { type: 'string', description: 'Key of the account.', 'x-secret': true, 'x-env': 'ACME_SECRET_KEY' },
      store: { type: 'string', enum: ['memory', 'file'], default: 'memory', description: 'Where messages wait.' },
    },
  },
  capabilities: (config) => ({ durable: config.store === 'file', ordering: 'fifo', formats: ['json', 'text'] }),
  variants: { memory: { region: 'eu', store: 'memory' }, file: { region: 'eu', store: 'file' } },
})(Sqs);

class FastQueue {
  constructor(config, adapter) { this.config = config; this.adapter = adapter; }
  ports() { return [bind(QueuePort, this)]; }
}
InjectConfig()(FastQueue, undefined, 0);
InjectAdapter('adapter')(FastQueue, undefined, 1);
Module({
  id: 'acme::queue::FastQueue', aliases: ['acme::queue::QuickQueue'], summary: 'A queue that is fast.', stability: 'beta', since: '0.1.0',
  config: {
    type: 'object', additionalProperties: false,
    properties: {
      adapter: { type: 'object', description: 'Where the messages are.', 'x-slot': 'queue' },
      wait_ms: { type: 'integer', minimum: 0, maximum: 1000, default: 10, 'x-unit': 'ms', 'x-env': 'ACME_WAIT_MS', description: 'Longest wait.' },
      old_wait: { type: 'integer', description: 'Former name.', 'x-deprecated': 'use "wait_ms"' },
    },
  },
  slots: { adapter: { slot: QueueSlot } }, provides: [QueuePort],
  triggerKinds: [{ type: 'acme.queue', summary: 'Runs for each message.', schema: { type: 'object', properties: {} } }],
  operations: [{ name: 'acme.send', summary: 'Sends a message.' }],
  emits: {
    spans: [{ name: 'acme.send', description: 'One message sent.' }],
    metrics: [{ name: 'acme.sent', unit: '1', description: 'Messages sent.' }],
  },
})(FastQueue);

class Meter { constructor(queue) { this.queue = queue; } }
Inject(QueuePort)(Meter, undefined, 0);
Module({
  id: 'acme::queue::Meter', summary: 'Counts messages.', stability: 'beta', since: '0.1.0',
  config: { type: 'object', additionalProperties: false, properties: {} },
})(Meter);

class Former {}
Module({
  id: 'acme::queue::Former', summary: 'What was there before.', stability: 'deprecated', since: '0.0.1',
  config: { type: 'object', additionalProperties: false, properties: {} },
})(Former);

export default definePlugin({ name: 'acme-treadle-sqs', version: '0.3.1', api: '^0.1.0', modules: [FastQueue, Meter, Former], adapters: [Sqs] });
`,
};

/** A configuration of the plugin's classes alone. */
export const ACME_CONFIG = `plugins: [./acme]
engine: { implicit_modules: false }
modules:
  - class: acme::queue::Meter
  - class: acme::queue::QuickQueue
    config:
      adapter:
        class: acme::queue::adapters::Sqs
        config:
          region: \${REGION:eu-central-1}
          secret_key: hush-hush
`;
