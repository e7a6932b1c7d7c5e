import { expect } from 'chai';
import { createElement, type ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { type FakeSocket, fakeServer, turns } from './fake-server.fixture.js';
import { StreamClient } from './index.js';
import { StreamProvider, useStreamClient, useStreamEvent, useStreamGroup, useStreamItem } from './react.js';
import { acquire } from './shared-subscriptions.js';

const GROUP = { streamName: 'board', groupId: 'g' };

/** As much of a document as React needs to run components that render nothing. */
function emptyDocument(): Element {
  const nothing = (): void => undefined;
  const document = { nodeType: 9, nodeName: '#document', addEventListener: nothing, removeEventListener: nothing, activeElement: null };
  return {
    nodeType: 1, nodeName: 'DIV', tagName: 'DIV', namespaceURI: 'http://www.w3.org/1999/xhtml', ownerDocument: document,
    addEventListener: nothing, removeEventListener: nothing, appendChild: nothing, removeChild: nothing, textContent: '',
  } as unknown as Element;
}

describe('the React hooks', () => {
  let client: StreamClient;
  let sockets: FakeSocket[];
  let globals: { window?: unknown };
  beforeEach(() => {
    const server = fakeServer();
    sockets = server.sockets;
    client = new StreamClient({ url: 'ws://x', WebSocket: server.WebSocket, minDelayMs: 1, maxDelayMs: 2 });
    globals = globalThis as { window?: unknown };
    globals.window = { event: undefined, HTMLIFrameElement: class {} };
  });
  afterEach(() => {
    client.close();
    delete globals.window;
  });
  const html = (component: () => ReactElement): string =>
    renderToString(createElement(StreamProvider, { client }, createElement(component))).replaceAll('<!-- -->', '');

  /** Runs a component that renders nothing, effects included. */
  const run = async (component: () => null): Promise<{ stop(): Promise<void> }> => {
    const { createRoot } = await import('react-dom/client');
    const root = createRoot(emptyDocument());
    root.render(createElement(StreamProvider, { client }, createElement(component)));
    while (sockets.length === 0) await turns(1);
    return { stop: async () => { root.unmount(); await turns(); } };
  };

  it('render on a server what a page knows that takes over from it: nothing', () => {
    const Board = (): ReactElement => {
      const { data, status } = useStreamGroup<{ n: number }>(GROUP);
      const { data: item } = useStreamItem({ ...GROUP, id: 'a' });
      return createElement('p', null, `${status} ${JSON.stringify(data)} ${JSON.stringify(item)}`);
    };
    expect(html(Board)).to.equal('<p>connecting [] null</p>');
    const { release } = acquire(client, GROUP);
    const [socket] = sockets;
    socket?.open();
    socket?.event(1, { type: 'sync', data: [{ n: 1, id: 'a' }], ids: ['a'] });
    expect(html(Board)).to.equal('<p>connecting [] null</p>');
    release();
  });

  it('follow a group and an item, share what is followed twice, and leave at the end', async () => {
    const shown: string[] = [];
    const running = await run(() => {
      const { data, items, status } = useStreamGroup<number>(GROUP);
      const { items: same } = useStreamGroup<number>(GROUP);
      const { data: item } = useStreamItem<number>({ ...GROUP, id: 'a' });
      shown.push(`${status} ${data.join()} ${items.map(({ id }) => id).join()} ${same === items} ${item}`);
      return null;
    });
    const socket = sockets[0] as FakeSocket;
    socket.open();
    expect(socket.sent.map(({ data }) => data['id'])).to.deep.equal([undefined, 'a']);
    socket.event(1, { type: 'sync', data: [1], ids: ['a'] });
    socket.event(1, { type: 'sync', data: 1, ids: ['a'] }, { id: 'a', subscriptionId: 's2' });
    socket.event(2, { type: 'create', data: 2 }, { id: 'b' });
    while (!shown.at(-1)?.includes('1,2')) await turns(1);
    expect(shown[0]).to.equal('connecting   true null');
    expect(shown.at(-1)).to.equal('live 1,2 a,b true 1');
    await running.stop();
    while (socket.sent.filter(({ type }) => type === 'leave').length < 2) await turns(20);
  });

  it('begin with nothing where a page takes over what a server has rendered, whatever the page knows by then', async () => {
    const { release } = acquire(client, GROUP);
    (sockets[0] as FakeSocket).open();
    sockets[0]?.event(1, { type: 'sync', data: [1], ids: ['a'] });
    const shown: string[] = [];
    const Board = (): null => {
      const { data, status } = useStreamGroup<number>(GROUP);
      shown.push(`${status} ${data.join()}`);
      return null;
    };
    const { hydrateRoot } = await import('react-dom/client');
    const root = hydrateRoot(emptyDocument(), createElement(StreamProvider, { client }, createElement(Board)));
    while (shown.at(-1) !== 'live 1') await turns(1);
    expect(shown[0]).to.equal('connecting ');
    root.unmount();
    await turns();
    release();
  });

  it('keep a subscription for its whole time after the last component has gone, however often that happens', () => {
    const timers: (() => void)[] = [];
    const { setTimeout: later, clearTimeout: cancel } = globalThis;
    Object.assign(globalThis, {
      setTimeout: (act: () => void) => timers.push(act),
      clearTimeout: (timer?: number) => {
        if (timer !== undefined) timers[timer - 1] = () => undefined;
      },
    });
    try {
      const { subscription, release } = acquire(client, GROUP);
      release();
      acquire(client, GROUP).release();
      timers[0]?.();
      expect(subscription.status).to.equal('connecting');
      timers[1]?.();
      expect(subscription.status).to.equal('closed');
    } finally {
      Object.assign(globalThis, { setTimeout: later, clearTimeout: cancel });
    }
  });

  it('call the newest handler for events of their type', async () => {
    const heard: unknown[] = [];
    const running = await run(() => {
      useStreamEvent<number>(GROUP, 'typing', (data, id) => heard.push([data, id]));
      return null;
    });
    const socket = sockets[0] as FakeSocket;
    while (socket.onopen === null) await turns(1);
    socket.open();
    socket.event(1, { type: 'sync', data: [], ids: [] });
    socket.event(2, { type: 'event', event: { type: 'typing', data: 1 } });
    socket.event(3, { type: 'event', event: { type: 'other', data: 2 } });
    socket.event(4, { type: 'event', event: { type: 'typing', data: 3 } }, { id: 'a' });
    expect(heard).to.deep.equal([[1, undefined], [3, 'a']]);
    await running.stop();
    socket.event(5, { type: 'event', event: { type: 'typing', data: 4 } });
    expect(heard).to.have.length(2);
  });

  it('say what is missing above them', () => {
    const Lost = (): ReactElement => createElement('p', null, String(useStreamClient()));
    expect(() => renderToString(createElement(Lost))).to.throw('there is no StreamProvider above this component');
  });
});
