/** What configurations of the same family have and this engine does not, each with what to write instead. */

const EMBEDDED = 'remove "adapter" for the embedded store';
const IN_TRIGGER = 'is a setting of each trigger: queue(topic, { config: { … } })';
const DURABLE = 'remove it: every acknowledged write is durable';

/** Remedies for classes that nothing provides. */
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/::PubSubModule$/, 'remove this entry: every Step with a queue trigger on a topic gets each of its messages'],
  [/::ExecModule$/, 'remove this entry: the engine starts the Step processes itself; start other programs beside it'],
  [/::(?:HttpFunctionsModule|BridgeClientModule|TelemetryModule)$/, 'remove this entry: there is nothing in its place'],
  [/Redis(?:Cron)?(?:Adapter)?$/, `this engine has no adapter for Redis; ${EMBEDDED}`],
  [/Rabbit(?:MQ|Mq)?(?:Adapter)?$/, `this engine has no adapter for RabbitMQ; ${EMBEDDED}`],
  [/^modules::\w+::(?:adapters::Bridge|LocalAdapter)$/, EMBEDDED],
];

/** Remedies for keys, whichever class has them not. */
const KEYS: Readonly<Record<string, string>> = {
  default_timeout: 'write "handler_timeout_ms"',
  workers: 'write "workers" into the config of modules::runtime::adapters::Node, in "runtimes" of modules::steps::StepsModule',
  queue_configs: `remove it: what it says of a queue ${IN_TRIGGER}`,
  max_attempts: `remove it: "maxAttempts" ${IN_TRIGGER}`,
  max_retries: `remove it: "maxRetries" ${IN_TRIGGER}`,
  backoff_ms: `remove it: "backoffDelayMs" ${IN_TRIGGER}`,
  concurrency: `remove it: "concurrency" ${IN_TRIGGER}`,
  poll_interval_ms: 'remove it: nothing is polled',
  save_interval_ms: DURABLE,
  lock_ttl_ms: 'remove it: each tick is claimed in the store',
  lock_index: 'remove it: each tick is claimed in the store',
};

/** What to do about a class that another engine of the family has; undefined for any other. */
export function foreignClass(name: string): string | undefined {
  return CLASSES.find(([pattern]) => pattern.test(name))?.[1];
}

/** What to do about a key that another engine of the family has; undefined for any other. */
export function foreignKey(key: string): string | undefined {
  return Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
}
