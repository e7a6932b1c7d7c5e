import type { Operations } from './operations.generated.js';

/** Method and path of an operation, as the OpenAPI document has it. */
export type OperationId = keyof Operations;
/** One that only reads. */
export type ReadId = Extract<OperationId, `GET ${string}`>;
/** The path of one that only reads. */
export type ReadPath = ReadId extends `GET ${infer P}` ? P : never;

export type AnswerOf<I extends OperationId> = Operations[I]['answer'];

/** What an operation is asked with: the parameters of its path and of its query under their names, and its `body`. An empty text is left out of a query. */
export type Arguments<I extends OperationId> =
  & { readonly [P in Operations[I]['path']]: string }
  & { readonly [Q in Operations[I]['query']]?: string | number | undefined }
  & (undefined extends Operations[I]['body'] ? unknown : { readonly body: Operations[I]['body'] });

/** What stands behind an operation in a call: its arguments, which may be left out where it needs none, and options. */
export type Asked<I extends OperationId, O> = Record<never, never> extends Arguments<I> ? readonly [given?: Arguments<I>, options?: O] : readonly [given: Arguments<I>, options?: O];

/** A request as it is sent; the path is below `/api/v1`. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

/** Puts arguments where the operation has them. */
export function requestOf(id: OperationId, given: object = {}): ApiRequest {
  const { body, ...rest } = given as Readonly<Record<string, string | number | undefined>>;
  const [method = '', template = ''] = id.split(' ');
  const inPath = new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  return {
    method, path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(rest[name] ?? ''))),
    query: Object.fromEntries(Object.entries(rest).filter(([name]) => !inPath.has(name))), body,
  };
}
