import { headers } from '@nats-io/transport-node';
import type { Link } from '../store/link.js';
import { ServerTime, type TimeSample } from '../store/server-time.js';
import { QueueLog } from '../queue/queue-log.js';
import { timeSubject } from './time-subject.fixture.js';

/* The plugin as conformance kits import it, also in processes of their own: the store's time is what the kit's process says it is. */

const askServer = ServerTime.prototype.ask;

ServerTime.prototype.ask = async function ask(now: () => number): Promise<TimeSample> {
  const { link, subject } = this as unknown as { readonly link: Link; readonly subject: string };
  const began = now();
  const asked = link.connection.request(timeSubject(subject.split('.')[1] ?? ''), '', { timeout: 2_000 });
  // Nobody answers for the stores of other tests.
  const answer = await asked.then((message) => message.string(), () => '');
  return answer === '' ? askServer.call(this, now) : { began, ended: now(), store: Number(answer) };
};

/* Entries of the queue's log go by the time that the server gives them: here by that of the kit. */

const KIT_TIME = 'Kit-Time';
const { publish, timeOf } = QueueLog.prototype;

QueueLog.prototype.publish = function publishInTime(this: QueueLog, messages: readonly Buffer[], withBodies: boolean): Promise<void> {
  const stamp = headers();
  stamp.set(KIT_TIME, String(this.store.time.now()));
  return publish.call(this, messages, withBodies, stamp);
};

QueueLog.prototype.timeOf = function kitTime(this: QueueLog, message): number {
  return Number(message.headers?.get(KIT_TIME)) || timeOf.call(this, message);
};

export { default } from '../index.js';
