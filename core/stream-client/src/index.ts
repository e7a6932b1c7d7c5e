export { type ConnectionStatus, StreamClient, type StreamClientOptions } from './stream-client.js';
export type { StreamItem, StreamSubscription, StreamView, SubscriptionStatus } from './subscription.js';
export type { ReconnectOptions } from './reconnect-delay.js';
export type { WebSocketConstructor, WebSocketLike } from './web-socket.js';
export type { StreamSignal, StreamTarget } from './wire.js';
