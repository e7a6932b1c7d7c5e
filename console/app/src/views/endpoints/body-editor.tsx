import { useMemo } from 'react';
import { isTree, readJson, writeJson } from '../../api/json.js';
import { faultOf } from '../../parts/json-fault.js';
import { JsonEditor } from '../../parts/json-editor.js';
import type { Schema } from './endpoint.js';
import css from './endpoints.module.css';
import { SchemaField } from './schema-field.js';
import { formFields } from './request.js';
import { schemaIssues } from './schema-issues.js';

interface Props {
  readonly schema: Schema | undefined;
  readonly label?: string;
  /** What becomes of one that breaks the schema; then it has to be JSON. Absent: it is sent whatever it is. */
  readonly broken?: string;
  readonly body: string;
  readonly asForm: boolean;
  readonly onBody: (body: string) => void;
}

const MOST_ISSUES = 6;

/** The body as a form of its schema or as JSON; what does not fit is named, and may be sent all the same. */
export function BodyEditor({ schema, label = 'Body', broken, body, asForm, onBody }: Props) {
  const fault = body === '' ? undefined : faultOf(body);
  const value = useMemo(() => (fault === undefined && body !== '' ? readJson(body) : undefined), [body, fault]);
  const issues = useMemo(() => issuesOf(schema, body, fault), [schema, body, fault]);
  const object = isTree(value) && !Array.isArray(value) ? value as Readonly<Record<string, unknown>> : undefined;
  const fields = formFields(schema);
  const set = (name: string, next: unknown): void => onBody(writeJson(next === undefined ? Object.fromEntries(Object.entries(object ?? {}).filter(([key]) => key !== name)) : { ...object, [name]: next }, 2));
  return (
    <>
      {asForm && object && fields.length > 0 ? <div className={css.fields}>{fields.map(([name, member, required]) => <SchemaField key={name} name={name} schema={member} required={required} value={object[name]} onValue={(next) => set(name, next)} />)}</div> : <JsonEditor label={label} value={body} onChange={onBody} />}
      {(fault ?? issues.length > 0) && <ul className={css.issue} aria-label={`What the ${label.toLowerCase()} breaks`}>{fault ? <li>{fault}</li> : issues.map((issue) => <li key={issue}>{issue}</li>)}{(fault === undefined || broken === undefined) && <li className="muted">{broken ?? 'It can be sent all the same.'}</li>}</ul>}
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
