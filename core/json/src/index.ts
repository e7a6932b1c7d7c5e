export { applyUpdate } from './apply-update.js';
export { type JsonErrorCode, jsonError } from './json-errors.js';
export { checkSize, define, MAX_DEPTH, MAX_VALUE_BYTES, toJson } from './json-value.js';
export { MAX_ISSUES, SchemaCheck } from './schema-check.js';
export { compileSchema, type SchemaError, type SchemaFunction, type SchemaMode } from './schema-compiler.js';
export { checkOperations, type CheckedOperation, MAX_OPERATIONS } from './update-operation.js';
