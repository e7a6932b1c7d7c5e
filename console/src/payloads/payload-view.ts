import { type AdminRequest, AdminStream } from '@treadle/api';
import type { Caller } from '../access/caller.js';
import { type Operation, typeOf } from '../api/operation.js';
import { Refusal } from '../server/refusal.js';
import type { Components, JsonSchema } from './json-schema.js';
import { refusePayloadQuestions } from './payload-questions.js';
import { holdsStandIn, WITHHELD } from './stand-in.js';
import { withoutPayloads } from './without-payloads.js';

/** What somebody may ask of an operation, and see of what it answers. */
export interface PayloadView {
  /** Before it is run. @throws {Refusal} 403 `payloads_withheld`, 400 `payload_stand_in` */
  admit(request: Pick<AdminRequest, 'query' | 'body'>): void;
  /** An answer, or an event. */
  shown(value: unknown): unknown;
  /** The same of an answer as JSON. */
  shownText(json: string): string;
}

const EVERYTHING: PayloadView = { admit: () => undefined, shown: (value) => value, shownText: (json) => json };
/** Answers that are no JSON, and hold none. */
const PLAIN_TEXTS: ReadonlySet<string> = new Set(['GET /api/v1/metrics']);

/**
 * How somebody sees an operation: the only place where payloads are withheld. Who sees none gets, of answers and events whose type is known, what is no payload by
 * that type, and no other answers at all: exports, and routes of plugins. The types are loaded when they are asked for.
 */
export async function payloadView({ name, payloads }: Caller, operation: Operation): Promise<PayloadView> {
  if (payloads !== false) return EVERYTHING;
  const { ANSWER_TYPES, ANSWERS, EVENTS } = await import('../api/answer-schemas.generated.js');
  const components = ANSWER_TYPES as Components;
  const found = typeOf<JsonSchema>(operation, operation.events ? EVENTS : ANSWERS);
  const whole = found === undefined || isPayload(found, components);
  const strip = (value: unknown): unknown => (found ? withoutPayloads(found, value, components) : WITHHELD);
  const path = operation.path.slice('/api/v1/'.length);
  return {
    admit: ({ query, body }) => {
      const label = `${operation.method} ${operation.path}`;
      if (whole && !PLAIN_TEXTS.has(label)) throw new Refusal(403, 'payloads_withheld', `${label} may answer with payloads anywhere, and the access of "${name}" shows none`);
      if (holdsStandIn([query, body])) throw new Refusal(400, 'payload_stand_in', `"${WITHHELD}" stands for a payload that you do not see; leave it out, or put another one in its place`);
      refusePayloadQuestions({ path, query, body, attributes: Object.keys(components['SpanAttributes']?.properties ?? {}) });
    },
    shown: (value) => (found ? stripped(value, strip) : value),
    shownText: (json) => JSON.stringify(strip(JSON.parse(json))),
  };
}

function isPayload({ $ref = '', 'x-payload': payload }: JsonSchema, components: Components): boolean {
  return payload !== undefined || components[$ref.slice($ref.lastIndexOf('/') + 1)]?.['x-payload'] !== undefined;
}

function stripped(value: unknown, strip: (value: unknown) => unknown): unknown {
  if (value === undefined) return undefined;
  if (!(value instanceof AdminStream)) return strip(JSON.parse(JSON.stringify(value)));
  const text = Buffer.concat([...value.pieces].map((piece) => Buffer.from(piece))).toString();
  return new AdminStream(value.contentType, [JSON.stringify(strip(JSON.parse(text)))], value.file);
}
