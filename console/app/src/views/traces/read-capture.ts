import { readJson } from '../../api/json.js';
import type { TraceCapture } from '../../api/types.generated.js';

const FORMAT = 'treadle-trace-capture';

/** What a file holds, or why it cannot be shown. */
export type ReadCapture = { readonly capture: TraceCapture } | { readonly capture?: undefined; readonly fault: string };

/** Reads the text of a file that `GET /traces/:id/capture` gave. Nothing of it is trusted but that it is text. */
export function readCapture(text: string): ReadCapture {
  let file: Partial<TraceCapture> | null;
  try {
    file = readJson(text) as unknown as Partial<TraceCapture> | null;
  } catch {
    return { fault: 'The file is not whole: it is no JSON' };
  }
  if (file?.format !== FORMAT) return { fault: 'This is no capture of a trace: "Export" at a trace makes one' };
  if (file.version !== 1) return { fault: `The capture is of version ${String(file.version)}, which this console does not know: a newer one opens it` };
  const lists = [file.trace?.rows, file.trace?.path?.segments, file.logs?.items, file.inputs?.items, file.steps, file.flow?.nodes, file.flow?.edges];
  return lists.every(Array.isArray) ? { capture: file as TraceCapture } : { fault: 'The capture lacks a part: it was changed after it was taken' };
}
