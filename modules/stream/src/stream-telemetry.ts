import type { Attributes, Emits } from '@treadle/api';

/** For the module's declaration. */
export const STREAM_EMITS: Emits = {
  spans: [{ name: 'stream.<verb>', description: 'An operation that a handler asked for, e.g. stream.set' }],
};

/** Longest part of an id in an attribute, in characters. */
const MAX_NAME = 256;

/** What a span says of an operation. */
export function spanAttributes(
  args: { readonly stream?: unknown; readonly groupId?: unknown; readonly id?: unknown }, result: unknown,
): Attributes {
  const { stream, groupId, id } = args;
  const after = (result as { readonly revision?: unknown } | null | undefined)?.revision;
  return {
    ...(typeof stream === 'string' && { 'stream.name': stream.slice(0, MAX_NAME) }),
    ...(typeof groupId === 'string' && { 'stream.group': groupId.slice(0, MAX_NAME) }),
    ...(typeof id === 'string' && { 'stream.id': id.slice(0, MAX_NAME) }),
    ...(typeof after === 'number' && { 'stream.rev.after': after }),
  };
}
