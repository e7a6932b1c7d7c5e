import type { ConfigSchema, TriggerIssue, TriggerKindSpec, TriggerRecord } from '@treadle/api';
import type { ChangeSelector } from './change-selector.js';

const text = (description: string): ConfigSchema => ({ type: 'string', minLength: 1, description });
const CONDITION: ConfigSchema = { description: 'Only true runs the handler; otherwise the change counts as processed' };

/** The trigger kind `state`. */
export const STATE_TRIGGER_KIND: TriggerKindSpec = {
  type: 'state',
  queued: true,
  summary: 'Starts the handler when a key of the state was created, updated or deleted',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      group: text('Only changes of this group'),
      key: text('Only changes of this key'),
      prefix: text('Only changes of keys that begin so'),
      condition: CONDITION,
    },
  },
  validate: stateTriggerIssues,
  label: ({ group, key, prefix }) => ['state', group ?? '*', key ?? `${typeof prefix === 'string' ? prefix : ''}*`].map(String).join(' '),
};

/** The trigger kind `stream`. */
export const STREAM_TRIGGER_KIND: TriggerKindSpec = {
  type: 'stream',
  queued: true,
  summary: 'Starts the handler when an item of a stream was created, updated or deleted',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['streamName'],
    properties: {
      streamName: text('Name of the stream'),
      groupId: text('Only items of this group'),
      id: text('Only this item'),
      events: {
        type: 'array', minItems: 1, items: { type: 'string', enum: ['create', 'update', 'delete'] }, description: 'Only these changes; default all',
      },
      condition: CONDITION,
    },
  },
  label: ({ streamName, groupId, id }) => ['stream', streamName, groupId ?? '*', id ?? '*'].map(String).join(' '),
};

function stateTriggerIssues({ key, prefix }: TriggerRecord): readonly TriggerIssue[] {
  if (key === undefined || prefix === undefined) return [];
  return [{
    key: 'prefix', code: 'STEP_BAD_VALUE', message: 'prefix has no meaning beside key, which names one key', remedy: 'remove one of the two',
  }];
}

/** What a state or stream trigger selects; undefined for a trigger of another kind. */
export function selectorOf(trigger: TriggerRecord): ChangeSelector | undefined {
  const { type, group, key, prefix, streamName, groupId, id, events } = trigger;
  if (type === 'state') return { kind: 'state', ...written({ group, key, prefix }) } as ChangeSelector;
  if (type === 'stream') return { kind: 'stream', ...written({ streamName, groupId, id, events }) } as ChangeSelector;
  return undefined;
}

const written = (keys: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
