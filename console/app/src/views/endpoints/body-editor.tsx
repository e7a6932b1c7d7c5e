import { useMemo } from 'react';
import { isTree, readJson, writeJson } from '../../api/json.js';
import { faultOf } from '../../parts/json-fault.js';
import { JsonEditor } from '../../parts/json-editor.js';
import type { Schema } from './endpoint.js';
import css from './endpoints.module.css';
import { SchemaField } from './schema-field.js';
import { formFields } from './request.js';
import { Issues, issuesOf } from './schema-issues-list.js';

interface Props {
  readonly schema: Schema | undefined;
  readonly label?: string;
  /** What becomes of one that breaks the schema; then it has to be JSON. Absent: it is sent whatever it is. */
  readonly broken?: string;
  readonly body: string;
  readonly asForm: boolean;
  readonly onBody: (body: string) => void;
}

/** The body as a form of its schema or as JSON; what does not fit is named, and may be sent all the same. */
export function BodyEditor({ schema, label = 'Body', broken, body, asForm, onBody }: Props) {
  const fault = body === '' ? undefined : faultOf(body);
  const value = useMemo(() => (fault === undefined && body !== '' ? readJson(body) : undefined), [body, fault]);
  const issues = useMemo(() => (fault !== undefined || body === '' ? [] : issuesOf(schema, JSON.parse(body))), [schema, body, fault]);
  const object = isTree(value) && !Array.isArray(value) ? value as Readonly<Record<string, unknown>> : undefined;
  const fields = formFields(schema);
  const set = (name: string, next: unknown): void => onBody(writeJson(next === undefined ? Object.fromEntries(Object.entries(object ?? {}).filter(([key]) => key !== name)) : { ...object, [name]: next }, 2));
  return (
    <>
      {asForm && object && fields.length > 0 ? <div className={css.fields}>{fields.map(([name, member, required]) => <SchemaField key={name} name={name} schema={member} required={required} value={object[name]} onValue={(next) => set(name, next)} />)}</div> : <JsonEditor label={label} value={body} onChange={onBody} />}
      <Issues of={fault ? [fault] : issues} label={label.toLowerCase()} after={fault !== undefined && broken !== undefined ? '' : broken} />
    </>
  );
}
