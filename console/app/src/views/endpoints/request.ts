import type { RunHttp, RunRecord } from '../../api/types.generated.js';
import { writeJson } from '../../api/json.js';
import { type Endpoint, pathParams, sampleOf, type Schema, schemaOf } from './endpoint.js';
import { queryText } from './query-text.js';

/** A request as it is edited. */
export interface Draft {
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly headers: string;
  readonly body: string;
}

/** What is in the editor at first: the last request that was sent, else a sample of the schema. */
export function firstDraft(endpoint: Endpoint, last: RunRecord | undefined): Draft {
  if (last?.request.kind === 'http' && !last.withheld) return draftOf(endpoint, last.request);
  return {
    params: Object.fromEntries(pathParams(endpoint.path).map((name) => [name, ''])), query: endpoint.query ? queryText(sampleOf(endpoint.query)) : '', headers: endpoint.body ? 'Content-Type: application/json' : '',
    body: endpoint.body ? writeJson(sampleOf(endpoint.body), 2) : '',
  };
}

/** A request to the endpoint as it is edited. */
export function draftOf(endpoint: Endpoint, { path, headers, body }: RunHttp): Draft {
  const [bare = '', query = ''] = path.split(/\?(.*)/s);
  const given = bare.split('/');
  const params = Object.fromEntries(endpoint.path.split('/').flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), decoded(given[at] ?? '')]] : [])));
  return { params, query, headers: headerText(headers), body: body ?? '' };
}

/** What is pasted may have signs that mean nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function requestOf(endpoint: Endpoint, draft: Draft): RunHttp {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(draft.params[name] ?? ''));
  return { kind: 'http', method: endpoint.method, path: path + (draft.query === '' ? '' : `?${draft.query}`), headers: headersOf(draft.headers), ...draft.body !== '' && endpoint.method !== 'GET' && { body: draft.body } };
}

/** Headers one a line, as they are edited. */
export function headerText(headers: Readonly<Record<string, string>> = {}): string {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`).join('\n');
}

export function headersOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.split('\n').flatMap((line) => {
    const at = line.indexOf(':');
    return at > 0 ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()]] : [];
  }));
}

/** What a form may show: the members of an object's schema. */
export function formFields(of: Schema | undefined): readonly (readonly [name: string, schema: Readonly<Record<string, unknown>>, required: boolean])[] {
  const required = (of?.['required'] as readonly string[] | undefined) ?? [];
  const fields = Object.entries(schemaOf(of?.['properties']) ?? {}).map(([name, schema]) => [name, schemaOf(schema) ?? {}, required.includes(name)] as const);
  return [...fields].sort((a, b) => Number(b[2]) - Number(a[2]));
}
