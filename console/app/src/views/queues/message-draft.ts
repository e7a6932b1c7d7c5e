import { readJson, writeJson } from '../../api/json.js';
import type { RunQueue, RunRecord } from '../../api/types.generated.js';
import { faultOf } from '../../parts/json-fault.js';
import { headersOf, headerText } from '../endpoints/request.js';
import { sampleOf, type Schema } from '../endpoints/endpoint.js';

/** A message as it is edited. */
export interface MessageDraft {
  readonly payload: string;
  /** Seconds. */
  readonly delay: string;
  readonly group: string;
  readonly dedupeKey: string;
  readonly headers: string;
}

const PLAIN: Omit<MessageDraft, 'payload'> = { delay: '', group: '', dedupeKey: '', headers: '' };

/** What is in the editor at first: the message that was enqueued here last, else a sample of the schema. Its key of deduplication is left out, for by it the next message would be none. */
export function firstMessage(schema: Schema | undefined, last: RunRecord | undefined): MessageDraft {
  if (last?.request.kind !== 'queue' || last.withheld) return sampleMessage(schema);
  const { data, headers, delayMs, messageGroupId = '' } = last.request;
  return { ...PLAIN, payload: writeJson(data, 2), delay: delayMs === undefined ? '' : String(delayMs / 1000), group: messageGroupId, headers: headerText(headers) };
}

export function sampleMessage(schema: Schema | undefined): MessageDraft {
  return { ...PLAIN, payload: schema ? writeJson(sampleOf(schema), 2) : '{\n  \n}' };
}

/** Why it cannot be enqueued as it is. */
export function messageFault({ payload, delay }: MessageDraft): string | undefined {
  const seconds = Number(delay);
  return faultOf(payload) ?? (Number.isFinite(seconds) && seconds >= 0 ? undefined : 'The delay is no number of seconds');
}

/** @throws SyntaxError when the payload is no JSON */
export function messageOf(topic: string, { payload, delay, group, dedupeKey, headers }: MessageDraft): RunQueue {
  const fields = headersOf(headers);
  return {
    kind: 'queue', topic, data: readJson(payload), ...Object.keys(fields).length > 0 && { headers: fields }, ...Number(delay) > 0 && { delayMs: Math.round(Number(delay) * 1000) },
    ...group !== '' && { messageGroupId: group }, ...dedupeKey !== '' && { dedupeKey },
  };
}
