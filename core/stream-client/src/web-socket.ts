/** What the client needs of a WebSocket; those of browsers, Node.js 22 and `ws` fit. */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

/** A class like the browser's `WebSocket`. */
export type WebSocketConstructor = new (url: string) => WebSocketLike;

/** The runtime's own WebSocket. @throws Error when it has none */
export function globalWebSocket(): WebSocketConstructor {
  const { WebSocket } = globalThis as { WebSocket?: unknown };
  if (typeof WebSocket === 'function') return WebSocket as WebSocketConstructor;
  throw new Error('this runtime has no WebSocket; pass one: new StreamClient({ url, WebSocket })');
}
