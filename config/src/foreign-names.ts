/** What configurations of the same family have and this engine does not, each with what to write instead. */

const EMBEDDED = 'remove "adapter" for the embedded store';
const IN_TRIGGER = 'is a setting of each trigger: queue(topic, { config: { … } })';
const CLAIMED = 'remove it: each tick is claimed in the store';
const MIGRATE = '"treadle migrate" rewrites the file';

/** Remedies for classes that nothing provides. */
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/::PubSubModule$/, 'remove this entry: every Step with a queue trigger on a topic gets each of its messages'],
  [/::ExecModule$/, 'remove this entry: the engine starts the Step processes itself; start other programs beside it'],
  [/::WorkerModule$/, 'remove this entry: modules::steps::StepsModule takes Step processes, on port 3110'],
  [/::LoggingModule$/, 'remove this entry: modules::observability::OtelModule logs'],
  [/::OpenTelemetryModule$/, 'write "modules::observability::OtelModule"'],
  [/::EventModule$/, 'write "modules::queue::QueueModule"'],
  [/::(?:HttpFunctionsModule|BridgeClientModule|TelemetryModule|KvServer(?:Module)?)$/, 'remove this entry: there is nothing in its place'],
  [/Redis(?:Cron)?(?:Adapter)?$/, `this engine has no adapter for Redis; ${EMBEDDED}`],
  [/Rabbit(?:MQ|Mq)?(?:Adapter)?$/, `install @treadle/rabbitmq, list it in "plugins" and write "modules::queue::adapters::RabbitMq"; or ${EMBEDDED}`],
  [/^modules::\w+::(?:adapters::Bridge|LocalAdapter)$/, EMBEDDED],
];

/** Remedies for keys of certain classes; whose class does not matter stands with `/^/`. */
const KEYS: readonly (readonly [owner: RegExp, keys: Readonly<Record<string, string>>])[] = [
  [/^/, {
    default_timeout: 'write "handler_timeout_ms"',
    workers: 'write "workers" into the config of modules::runtime::adapters::Node, in "runtimes" of modules::steps::StepsModule',
    save_interval_ms: 'remove it: every acknowledged write is durable',
    redis_url: 'remove it: this engine has no adapter for Redis',
    amqp_url: 'write "url" into the config of modules::queue::adapters::RabbitMq, of the package @treadle/rabbitmq',
    lock_ttl_ms: CLAIMED,
    lock_index: CLAIMED,
  }],
  [/::queue::/, {
    queue_configs: `remove it: what it says of a queue ${IN_TRIGGER}`,
    max_attempts: `remove it: "maxAttempts" ${IN_TRIGGER}`,
    max_retries: `remove it: "maxRetries" ${IN_TRIGGER}`,
    backoff_ms: `remove it: "backoffDelayMs" ${IN_TRIGGER}`,
    concurrency: `remove it: "concurrency" ${IN_TRIGGER}`,
    poll_interval_ms: 'remove it: nothing is polled',
  }],
  [/::stream::/, { auth_function: 'remove it: export "authenticate" from a file *.stream-auth.ts or *_stream_auth.py' }],
  [/::http::/, {
    not_found_function: 'remove it: an http trigger with the path "/*rest" gets what no other route takes',
    middleware: 'remove it: a file *.middleware.ts holds for all Steps of its folder',
    'cors.allow_credentials': 'write "credentials"',
  }],
  [/::observability::/, {
    service_instance_id: 'remove it: each engine makes one for itself',
    logs_console_output: 'remove it: logs always go to stdout as well',
    sampling: 'write "sampling_ratio", a number from 0 to 1',
    alerts: 'remove it: set alerts on the metrics where you collect them',
    logs_batch_size: 'remove it: it cannot be set',
    logs_flush_interval_ms: 'remove it: it cannot be set',
  }],
];

/** Remedies for keys at the top of the file, and of entries in a list that is there. */
const SECTIONS: Readonly<Record<string, string>> = {
  workers: `write a list "modules", in which "iii-http" is "class: modules::http::HttpModule"; ${MIGRATE}`,
  port: 'write it into the config of modules::http::HttpModule',
};

/** What to do about a class that another engine of the family has; undefined for any other. */
export function foreignClass(name: string): string | undefined {
  return CLASSES.find(([pattern]) => pattern.test(name))?.[1];
}

/** What to do about a key, by its path within the config of the class `owner`, that another engine of the family has; undefined for any other. */
export function foreignKey(key: string, owner: string): string | undefined {
  const found = KEYS.find(([pattern, keys]) => pattern.test(owner) && Object.hasOwn(keys, key));
  return found?.[1][key];
}

/** What to do about a section of the file that another engine of the family has; undefined for any other. */
export function foreignSection(name: string): string | undefined {
  return Object.hasOwn(SECTIONS, name) ? SECTIONS[name] : undefined;
}
