export * from './create-logger.js';
export * from './json-sink.js';
export * from './terminal-sink.js';
export * from './safe-record.js';
