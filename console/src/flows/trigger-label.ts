import type { TriggerRecord } from '@treadle/api';

/** Members that say which one it is, by the trigger's kind. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  http: ['method', 'path'], queue: ['topic'], cron: ['expression'], state: ['group', 'groupId', 'key'], stream: ['streamName', 'stream', 'event'],
};

/** A trigger in few words, e.g. `POST /orders`. */
export function triggerLabel(trigger: TriggerRecord): string {
  const parts = (PARTS[trigger.type] ?? []).map((name) => trigger[name]).filter((part) => typeof part === 'string');
  return parts.length === 0 ? trigger.type : parts.join(' ');
}
