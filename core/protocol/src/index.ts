export * from './frame.js';
export * from './limits.js';
export * from './messages.js';
export * from './stream-receiver.js';
export * from './stream-sender.js';
export * from './stream-table.js';
export * from './turn-batch.js';
export * from './write-ahead.js';
