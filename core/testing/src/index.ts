export * from './fake-clock.js';
export * from './recorded-log.js';
