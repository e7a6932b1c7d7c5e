import { isBinary, takesBytes } from '../routing/trigger-schemas.js';

/**
 * The `content` of a body that fits a schema: bytes where it says so, anything where it says nothing, else JSON. `place` writes the schema
 * into the document, where it belongs there.
 */
export function contentOf(schema: object | boolean, place: () => object | boolean): Readonly<Record<string, { readonly schema?: object | boolean }>> {
  if (isBinary(schema)) return { 'application/octet-stream': {} };
  return { [takesBytes(schema) ? '*/*' : 'application/json']: { schema: place() } };
}
