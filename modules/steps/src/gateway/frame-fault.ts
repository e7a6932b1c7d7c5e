import type { Message } from '@treadle/protocol';

const MAX_QUOTED = 32;

/** What is wrong with a frame that could not be parsed, for its sender and the log: its beginning, never all of it. */
export function frameFault(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `a frame is a JSON array of messages; this one begins with ${JSON.stringify(text.slice(0, MAX_QUOTED))}`;
  }
  const { type } = (value ?? {}) as { readonly type?: unknown };
  if (typeof type === 'string') {
    return `a frame is a JSON array of messages; this one is a single message of type ${JSON.stringify(type.slice(0, MAX_QUOTED))}, as workers of other engines send it`;
  }
  return 'a frame is a JSON array of messages, at least one, each an object with a "type"';
}

/** What is wrong with a message that its reader did not take. */
export function messageFault({ type }: Message, greeted: boolean): string {
  const name = JSON.stringify(type.slice(0, MAX_QUOTED));
  if (greeted) return `a message ${name} that this side of the channel does not know, or with other members than it has`;
  return type === 'hello' ? 'a "hello" lacks a member, or has one of another type' : `the first message is a "hello", not ${name}`;
}
