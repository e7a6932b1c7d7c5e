import type { ChangeSubject, QueueDelivery } from '@treadle/api';

/** Which changes a state or stream trigger wants; what is absent may be anything. Kept with the subscription, as JSON. */
export type ChangeSelector =
  | { readonly kind: 'state'; readonly group?: string; readonly key?: string; readonly prefix?: string }
  | {
    readonly kind: 'stream'; readonly streamName: string; readonly groupId?: string; readonly id?: string;
    readonly events?: readonly string[];
  };

/** True when the trigger wants the change. */
export function selects(selector: ChangeSelector, subject: ChangeSubject): boolean {
  if (selector.kind === 'state') {
    if (subject.kind !== 'state') return false;
    const { group, key, prefix } = selector;
    return fits(group, subject.group) && fits(key, subject.key) && (prefix === undefined || subject.key.startsWith(prefix));
  }
  if (subject.kind !== 'stream' || selector.streamName !== subject.streamName) return false;
  const { groupId, id, events } = selector;
  return fits(groupId, subject.groupId) && fits(id, subject.id) && (events === undefined || events.includes(subject.event));
}

/** What a delivered change is about, from the first argument of its handler. */
export function subjectOf(kind: QueueDelivery['kind'], input: unknown): ChangeSubject | undefined {
  const { group, key, streamName, groupId, id, event } = (input ?? {}) as Readonly<Record<string, string>> & { readonly event?: { readonly type: string } };
  if (kind === 'state') return { kind, group: String(group), key: String(key) };
  if (kind !== 'stream') return undefined;
  const type = event?.type as Extract<ChangeSubject, { kind: 'stream' }>['event'];
  return { kind, streamName: String(streamName), groupId: String(groupId), id: String(id), event: type };
}

const fits = (wanted: string | undefined, is: string): boolean => wanted === undefined || wanted === is;
