import { useMemo } from 'react';
import { Field, Input } from '../../parts/controls.js';
import type { Schema } from './endpoint.js';
import css from './endpoints.module.css';
import { isArray, queryValue, withQueryMember } from './query-text.js';
import { formFields } from './request.js';
import { Issues, issuesOf } from './schema-issues-list.js';
import { SchemaField } from './schema-field.js';

interface Props {
  readonly schema: Schema | undefined;
  readonly text: string;
  readonly asForm: boolean;
  readonly onText: (text: string) => void;
}

/** The query as a form of its schema, and as the text that is sent. */
export function QueryForm({ schema, text, asForm, onText }: Props) {
  const value = useMemo(() => (schema ? queryValue(schema, text) : {}), [schema, text]);
  const issues = useMemo(() => issuesOf(schema, value, 'query'), [schema, value]);
  const fields = asForm ? formFields(schema) : [];
  return (
    <>
      {fields.length > 0 && (
        <fieldset className={css.nested}>
          <legend className="muted">Query</legend>
          <div className={css.fields}>{fields.map(([name, member, required]) => <Member key={name} name={name} schema={member} required={required} value={value[name]} onValue={(next) => onText(withQueryMember(text, name, next))} />)}</div>
        </fieldset>
      )}
      <Field label={fields.length > 0 ? 'Query, as it is sent' : 'Query'}><Input placeholder="name=value&other=value" value={text} onChange={(event) => onText(event.target.value)} /></Field>
      <Issues of={issues} label="query" />
    </>
  );
}

type MemberProps = Parameters<typeof SchemaField>[0];

/** A text has no member that is neither text, number, truth value nor a list of them. */
function Member({ name, schema, required, value, onValue }: MemberProps) {
  if (isArray(schema)) return <Field label={`${name}${required ? '' : ' (optional)'}, one a line`}><textarea className={css.area} rows={2} spellCheck={false} value={Array.isArray(value) ? value.map(String).join('\n') : ''} onChange={(event) => onValue(event.target.value === '' ? undefined : event.target.value.split('\n'))} /></Field>;
  const type = schema['type'];
  if (schema['enum'] !== undefined || type === 'number' || type === 'integer') return <SchemaField name={name} schema={schema} required={required} value={value} onValue={onValue} />;
  // Left out, yes and no are three; a box has two.
  return <SchemaField name={name} schema={type === 'boolean' ? { enum: [true, false] } : { ...schema, type: 'string', properties: undefined }} required={required} value={value === undefined ? undefined : type === 'boolean' ? value : String(value)} onValue={onValue} />;
}
