import type { TriggerIssue, TriggerKindSpec } from '@treadle/api';
import { compileSchema } from '@treadle/json';

/** How `*.stream` files are in the catalog. */
export const DECLARATION_KIND: TriggerKindSpec = {
  type: 'stream.declaration',
  summary: 'Declares a stream; made from a *.stream file',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['streamName'],
    properties: {
      streamName: { type: 'string', minLength: 1, maxLength: 512, description: 'Name of the stream' },
      schema: { description: 'JSON Schema of the items' },
      canAccess: { type: 'boolean', description: 'The file has a canAccess function' },
      onJoin: { type: 'boolean', description: 'The file has an onJoin function' },
      onLeave: { type: 'boolean', description: 'The file has an onLeave function' },
    },
  },
  validate: ({ schema }) => schemaIssues(schema),
  exclusiveKey: ({ streamName }) => String(streamName),
  label: ({ streamName }) => `stream ${String(streamName)}`,
};

/** How a `*.stream-auth` file is in the catalog. */
export const AUTHENTICATION_KIND: TriggerKindSpec = {
  type: 'stream.authentication',
  summary: 'Says who connects to the streams; made from a *.stream-auth file',
  schema: { type: 'object', additionalProperties: false, properties: {} },
  exclusiveKey: () => 'stream-auth',
  label: () => 'authentication of streams',
};

function schemaIssues(schema: unknown): readonly TriggerIssue[] {
  if (schema === undefined) return [];
  try {
    compileSchema(schema as object | boolean, 'first');
    return [];
  } catch (error) {
    return [{
      key: 'schema', code: 'STEP_BAD_SCHEMA', message: `schema cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      remedy: 'give a valid JSON Schema 2020-12, or something that has one',
    }];
  }
}
