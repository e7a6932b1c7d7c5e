import type { TriggerKindSpec } from '@treadle/api';
import { schemaIssues } from '@treadle/json';

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
  validate: ({ schema }) => schemaIssues('schema', schema as object | boolean | undefined),
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
