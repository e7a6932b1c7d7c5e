import { Badge } from './controls.js';
import type { Tone } from './tone.js';

/** Of an answer to a request. */
export function HttpStatus({ status }: { readonly status: number }) {
  const tone: Tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'ok';
  return <Badge tone={tone}>{status}</Badge>;
}

const METHODS: Readonly<Record<string, Tone>> = { GET: 'ok', POST: 'info', PUT: 'warn', PATCH: 'warn', DELETE: 'bad' };

export function Method({ method }: { readonly method: string }) {
  return <Badge tone={METHODS[method] ?? 'plain'} shape=""><span className="mono">{method}</span></Badge>;
}
