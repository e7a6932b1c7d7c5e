import { useMemo } from 'react';
import { isTree, readJson, writeJson } from '../../api/json.js';
import { faultOf } from '../../parts/json-fault.js';
import { JsonEditor } from '../../parts/json-editor.js';
import type { Endpoint, Schema } from './endpoint.js';
import css from './endpoints.module.css';
import { SchemaField } from './schema-field.js';
import { formFields } from './request.js';
import { schemaIssues } from './schema-issues.js';

interface Props {
  readonly endpoint: Endpoint;
  readonly body: string;
  readonly asForm: boolean;
  readonly onBody: (body: string) => void;
}

const MOST_ISSUES = 6;

/** The body as a form of its schema or as JSON; what does not fit is named, and may be sent all the same. */
export function BodyEditor({ endpoint, body, asForm, onBody }: Props) {
  const fault = body === '' ? undefined : faultOf(body);
  const value = useMemo(() => (fault === undefined && body !== '' ? readJson(body) : undefined), [body, fault]);
  const issues = useMemo(() => issuesOf(endpoint.body, body, fault), [endpoint, body, fault]);
  const object = isTree(value) && !Array.isArray(value) ? value as Readonly<Record<string, unknown>> : undefined;
  const fields = formFields(endpoint);
  const set = (name: string, next: unknown): void => onBody(writeJson(next === undefined ? Object.fromEntries(Object.entries(object ?? {}).filter(([key]) => key !== name)) : { ...object, [name]: next }, 2));
  return (
    <>
      {asForm && object && fields.length > 0 ? <div className={css.fields}>{fields.map(([name, schema, required]) => <SchemaField key={name} name={name} schema={schema} required={required} value={object[name]} onValue={(next) => set(name, next)} />)}</div> : <JsonEditor label="Body" value={body} onChange={onBody} />}
      {(fault ?? issues.length > 0) && <ul className={css.issue} aria-label="What the body breaks">{fault ? <li>{fault}</li> : issues.map((issue) => <li key={issue}>{issue}</li>)}<li className="muted">It can be sent all the same.</li></ul>}
    </>
  );
}

function issuesOf(schema: Schema | undefined, body: string, fault: string | undefined): readonly string[] {
  if (!schema || fault !== undefined || body === '') return [];
  try {
    return schemaIssues(schema, JSON.parse(body)).slice(0, MOST_ISSUES);
  } catch (error) {
    return [`its schema cannot be read here: ${(error as Error).message}`];
  }
}
