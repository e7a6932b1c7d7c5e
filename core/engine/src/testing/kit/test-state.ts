import type { Json, StatePort, StreamPort, UpdateOperation } from '@treadle/api';
import type { State, StreamClient, StreamClients } from 'treadle';

/** `ctx.state` for a test. */
export function testState(port: StatePort): State {
  const calls = {
    get: (group: string, key: string) => port.get(group, key),
    set: (group: string, key: string, value: unknown, options?: { readonly ttlMs?: number }) => port.set(group, key, value as Json, options),
    delete: (group: string, key: string) => port.delete(group, key),
    update: (group: string, key: string, ops: unknown) => port.update(group, key, ops as readonly UpdateOperation[]),
    list: (group: string, options?: object) => port.list(group, options),
    listGroups: (options?: object) => port.listGroups(options),
    clear: async (group: string): Promise<void> => void await port.clear(group),
    getEntry: async (group: string, key: string) => {
      const entry = await port.getEntry(group, key);
      return entry && { key, ...entry };
    },
    compareAndSet: (group: string, key: string, revision: number, value: unknown) => port.compareAndSet(group, key, { revision, value: value as Json }),
  };
  return calls as unknown as State;
}

/** `ctx.streams` for a test. */
export function testStreams(port: StreamPort): StreamClients {
  return new Proxy(Object.freeze({}), {
    // `then` would make the object look like a promise to `await`.
    get: (_target, name) => (typeof name === 'string' && name !== 'then' ? streamClient(port, name) : undefined),
  }) as StreamClients;
}

function streamClient(port: StreamPort, stream: string): StreamClient {
  const calls = {
    get: (groupId: string, id: string) => port.get({ stream, groupId }, id),
    set: (groupId: string, id: string, item: unknown) => port.set({ stream, groupId }, id, item as Json),
    delete: (groupId: string, id: string) => port.delete({ stream, groupId }, id),
    update: (groupId: string, id: string, ops: unknown) => port.update({ stream, groupId }, id, ops as readonly UpdateOperation[]),
    list: (groupId: string) => port.list({ stream, groupId }),
    listGroups: (options?: object) => port.listGroups(stream, options),
    send: ({ groupId, id }: { readonly groupId: string; readonly id?: string }, { type, data }: { readonly type: string; readonly data: unknown }) =>
      port.send({ stream, groupId }, { id, type, data: data as Json }),
  };
  return calls as unknown as StreamClient;
}
