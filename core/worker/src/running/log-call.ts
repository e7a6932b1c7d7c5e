import { describeError } from './failure.js';
import { plainFields } from './log-fields.js';

/** What a record says. */
interface Said {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** Longest message that is made of an object, in characters. */
const MAX_SHOWN = 200;

/**
 * What `logger.info(…)` and its like mean: a message and fields; an error, whose name and stack become fields; or fields alone, or before the
 * message, as other loggers take them. Never throws.
 */
export function logCall(first: unknown, second: unknown): Said {
  if (typeof first !== 'object' || first === null) return { message: String(first), fields: plainFields(second) };
  if (first instanceof Error) {
    const { message, name, stack } = describeError(first);
    const own = plainFields({ ...first });
    return { message: typeof second === 'string' ? second : message, fields: { ...typeof second === 'string' && { error: message }, errorName: name, stack, ...own, ...fieldsOf(second) } };
  }
  const fields = plainFields(first);
  return { message: typeof second === 'string' ? second : messageIn(fields), fields: { ...fields, ...fieldsOf(second) } };
}

function fieldsOf(second: unknown): Said['fields'] {
  return typeof second === 'string' ? undefined : plainFields(second);
}

function messageIn(fields: Said['fields']): string {
  const said = [fields?.['message'], fields?.['msg']].find((text) => typeof text === 'string');
  return typeof said === 'string' ? said : JSON.stringify(fields).slice(0, MAX_SHOWN);
}
