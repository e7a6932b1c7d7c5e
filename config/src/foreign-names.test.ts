import { expect } from 'chai';
import { foreignClass, foreignKey, foreignSection } from './foreign-names.js';

describe('names of another engine of the family', () => {
  for (const [name, remedy] of [
    ['modules::pubsub::PubSubModule', 'remove this entry: every Step with a queue trigger on a topic gets each of its messages'],
    ['modules::shell::ExecModule', 'remove this entry: the engine starts the Step processes itself; start other programs beside it'],
    ['modules::telemetry::TelemetryModule', 'remove this entry: there is nothing in its place'],
    ['modules::queue::RedisAdapter', 'this engine has no adapter for Redis; remove "adapter" for the embedded store'],
    ['modules::queue::RabbitMQAdapter', 'install @treadle/rabbitmq, list it in "plugins" and write "modules::queue::adapters::RabbitMq"; or remove "adapter" for the embedded store'],
    ['modules::pubsub::LocalAdapter', 'remove "adapter" for the embedded store'],
    ['modules::event::EventModule', 'write "modules::queue::QueueModule"'],
    ['modules::otel::OpenTelemetryModule', 'write "modules::observability::OtelModule"'],
    ['modules::observability::LoggingModule', 'remove this entry: modules::observability::OtelModule logs'],
    ['acme::cache::RedisModule', undefined],
    ['modules::http::HtpModule', undefined],
  ] as const) {
    it(`of a class: ${name}`, () => expect(foreignClass(name)).to.equal(remedy));
  }

  it('of keys, by the class that they stand in', () => {
    expect(foreignKey('default_timeout', 'modules::http::HttpModule')).to.equal('write "handler_timeout_ms"');
    expect(foreignKey('save_interval_ms', 'modules::state::adapters::KvStore')).to.equal('remove it: every acknowledged write is durable');
    expect(foreignKey('cors.allow_credentials', 'modules::http::HttpModule')).to.equal('write "credentials"');
    expect(foreignKey('concurrency', 'modules::queue::QueueModule')).to.match(/^remove it: "concurrency" is a setting of each trigger/);
    expect(foreignKey('concurrency', 'modules::http::HttpModule'), 'a misspelt key of another class').to.equal(undefined);
    for (const key of ['port', 'toString', '__proto__']) expect(foreignKey(key, 'modules::http::HttpModule')).to.equal(undefined);
  });

  it('of sections', () => {
    expect(foreignSection('workers')).to.match(/^write a list "modules"/);
    for (const name of ['modules', 'toString']) expect(foreignSection(name)).to.equal(undefined);
  });
});
