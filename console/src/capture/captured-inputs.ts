import { type AdminCatalog, AdminError } from '@treadle/api';
import { type Caller, includes } from '../access/caller.js';
import { moduleText } from '../api/ask-module.js';
import type { TraceView } from '../contract/index.js';

/** The recorded inputs of a trace's handlers, as the JSON of `CapturedInputs`. Who may not see inputs gets none, with that reason. */
export async function capturedInputs(catalog: AdminCatalog, rows: TraceView['rows'], caller: Caller): Promise<string> {
  if (!includes(caller.role, 'operator')) return inputsText([], `inputs are for the role operator; "${caller.name}" has the role ${caller.role}`);
  const texts: string[] = [];
  const missing: string[] = [];
  for (const { spanId } of rows.filter(({ name }) => name.startsWith('handler '))) {
    const asked = await input(catalog, spanId);
    if (asked.text !== undefined) texts.push(asked.text);
    else missing.push(asked.reason);
  }
  return inputsText(texts, missing.length === 0 ? undefined : `${missing.length} of ${texts.length + missing.length} are not there: ${missing[0] ?? ''}`);
}

type Asked = { readonly text: string } | { readonly text?: undefined; readonly reason: string };

async function input(catalog: AdminCatalog, span: string): Promise<Asked> {
  try {
    const text = await moduleText(catalog, { block: 'steps', path: '/inputs/:span', params: { span } });
    return text === undefined ? { reason: 'no module of this engine records inputs' } : { text };
  } catch (error) {
    if (error instanceof AdminError) return { reason: error.message };
    throw error;
  }
}

function inputsText(texts: readonly string[], note: string | undefined): string {
  return `{"items":[${texts.join(',')}]${note === undefined ? '' : `,"note":${JSON.stringify(note)}`}}`;
}
