export { createTestEngine } from './create-test-engine.js';
export type { TestEngineOptions } from './kit/test-engine-options.js';
export type { TestCaller, TestOperations } from './kit/test-operations.js';
export type { TestDeadLetter, TestEngine, TestEnqueueOptions, TestLog, TestTopic } from './kit/test-engine.js';
export type { CapturedEvent, CapturedMessage } from './kit/captured.js';
export type { TestCronRun } from './kit/cron-control.js';
export type { TestAnswer, TestRequest } from './kit/http-client.js';
export * from './create-test-composition.js';
export * from './test-config.js';
