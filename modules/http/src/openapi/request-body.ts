import type { HttpTrigger } from '../routing/http-trigger.js';
import { contentOf } from './media-types.js';
import type { SchemaBook } from './schema-book.js';

const WITH_BODY: readonly string[] = ['POST', 'PUT', 'PATCH'];

/** True when requests of a trigger have a body as a rule. */
export function takesBody({ method, bodySchema, rawBody }: HttpTrigger): boolean {
  return bodySchema !== undefined || rawBody === true || WITH_BODY.includes(method);
}

/** The `requestBody` of an operation, or undefined when it has none. */
export function requestBody(trigger: HttpTrigger, book: SchemaBook, name: string): object | undefined {
  if (!takesBody(trigger)) return undefined;
  const { bodySchema } = trigger;
  if (bodySchema !== undefined) return { required: true, content: contentOf(bodySchema, () => book.place(bodySchema, `${name}.body`)) };
  const type = trigger.rawBody ? 'application/octet-stream' : '*/*';
  return { required: false, description: 'The Step declares no schema for it.', content: { [type]: {} } };
}
