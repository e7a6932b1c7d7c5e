export { applyUpdate } from './apply-update.js';
export { define, MAX_DEPTH, toJson } from './json-value.js';
export { MAX_ISSUES, SchemaCheck, type SchemaRefusal } from './schema-check.js';
export { describedSchema, isExact, libraryOf } from './library-schema.js';
export { schemaIssues } from './schema-issues.js';
export { compileSchema } from './schema-compiler.js';
export { checkOperations } from './update-operation.js';
