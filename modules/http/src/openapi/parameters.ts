import type { HttpTrigger } from '../routing/http-trigger.js';
import { lowerCaseHeaderNames } from '../routing/trigger-schemas.js';
import type { ObjectProperty, SchemaBook } from './schema-book.js';

/** A path as OpenAPI writes it. */
export interface TemplatePath {
  /** e.g. `/tickets/{id}`. */
  readonly template: string;
  /** Names in the template, in order. */
  readonly names: readonly string[];
}

/** The names of a path's parameters in order; the last of `*rest` without its star. */
function parameterNames(path: string): readonly string[] {
  return path.split('/').filter(isParameter).map((segment) => segment.slice(1));
}

/** Writes a path with `names` in the place of its own parameter names. */
export function templatePath(path: string, names: readonly string[] = parameterNames(path)): TemplatePath {
  const left = [...names];
  const template = path.split('/').map((segment) => (isParameter(segment) ? `{${left.shift() ?? segment.slice(1)}}` : segment)).join('/');
  return { template, names };
}

/** The `parameters` of an operation: those of the path, then what `querySchema` and `headersSchema` list. */
export function parameters(trigger: HttpTrigger, { names }: TemplatePath, book: SchemaBook, name: string): readonly object[] {
  const { querySchema, headersSchema, path } = trigger;
  const own = parameterNames(path);
  return [
    ...names.map((shown, index) => pathParameter(shown, own[index] ?? shown, path)),
    ...(querySchema === undefined ? [] : fromSchema('query', querySchema, book, name)),
    ...(headersSchema === undefined ? [] : fromSchema('header', lowerCaseHeaderNames(headersSchema), book, name)),
  ];
}

function pathParameter(shown: string, own: string, path: string): object {
  const notes = [
    ...(path.endsWith(`/*${own}`) ? ['The rest of the path; may contain "/".'] : []),
    ...(shown === own ? [] : [`The Step calls it "${own}".`]),
  ];
  return { name: shown, in: 'path', required: true, schema: { type: 'string', minLength: 1 }, ...(notes.length > 0 && { description: notes.join(' ') }) };
}

function fromSchema(place: 'query' | 'header', schema: object | boolean, book: SchemaBook, name: string): readonly object[] {
  const properties = book.properties(schema, `${name}.${place}`);
  if (properties) return properties.map((property) => listed(place, property));
  // Headers have no form for an object that is spread over several of them.
  return place === 'header' ? [] : [{ name: 'query', in: 'query', style: 'form', explode: true, schema: book.place(schema, `${name}.query`) }];
}

function listed(place: 'query' | 'header', { name, required, schema }: ObjectProperty): object {
  const { description } = typeof schema === 'object' ? schema as { description?: unknown } : {};
  return { name, in: place, required, ...(typeof description === 'string' && { description }), schema };
}

const isParameter = (segment: string): boolean => segment.startsWith(':') || segment.startsWith('*');
