import { useApi } from '../../api/use-api.js';
import { Answer } from '../../parts/data-state.js';
import { SourceLines } from './source-lines.js';

const LINES = 9;

/** Lines of a Step's file around one of them, as the file is now: it may have been mended since. */
export function Excerpt({ step, line }: { readonly step: string; readonly line: number }) {
  return <Answer of={useApi('GET /steps/{id}/source', { id: step, lines: LINES, around: line })} what="the source">{(source) => <SourceLines source={source} />}</Answer>;
}
