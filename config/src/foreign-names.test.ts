import { expect } from 'chai';
import { foreignClass, foreignKey } from './foreign-names.js';

describe('names of another engine of the family', () => {
  for (const [name, remedy] of [
    ['modules::pubsub::PubSubModule', 'remove this entry: every Step with a queue trigger on a topic gets each of its messages'],
    ['modules::shell::ExecModule', 'remove this entry: the engine starts the Step processes itself; start other programs beside it'],
    ['modules::telemetry::TelemetryModule', 'remove this entry: there is nothing in its place'],
    ['modules::queue::RedisAdapter', 'this engine has no adapter for Redis; remove "adapter" for the embedded store'],
    ['modules::queue::RabbitMQAdapter', 'this engine has no adapter for RabbitMQ; remove "adapter" for the embedded store'],
    ['modules::pubsub::LocalAdapter', 'remove "adapter" for the embedded store'],
    ['acme::cache::RedisModule', undefined],
    ['modules::http::HtpModule', undefined],
  ] as const) {
    it(`of a class: ${name}`, () => expect(foreignClass(name)).to.equal(remedy));
  }

  it('of keys', () => {
    expect(foreignKey('default_timeout')).to.equal('write "handler_timeout_ms"');
    expect(foreignKey('save_interval_ms')).to.equal('remove it: every acknowledged write is durable');
    for (const key of ['port', 'toString', '__proto__']) expect(foreignKey(key)).to.equal(undefined);
  });
});
