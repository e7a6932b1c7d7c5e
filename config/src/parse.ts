import { treadleError, type TreadleError } from '@treadle/api';
import { EVENT_ID, parseEvents, YAMLException, type Event } from 'js-yaml';
import type { Located, LocatedMap, Outcome } from './located.js';
import { LineIndex } from './parsing/line-index.js';
import { hideSecrets, snippetAt } from './parsing/snippet.js';
import { SyntaxProblem } from './parsing/syntax-problem.js';
import { MAX_DEPTH, TOO_DEEP_TEXT, TreeBuilder } from './parsing/tree-builder.js';

const BYTE_ORDER_MARK = '\uFEFF';
/** js-yaml's text for it. */
const TOO_DEEP = 'nesting exceeded maxDepth';

/**
 * Stage 2: YAML text to a tree that knows the place of every node; undefined with CONFIG_SYNTAX. YAML's core schema
 * without merge keys and custom tags; one document; an empty text is an empty map. Nothing is thrown.
 */
export function parseConfig(text: string, file: string): Outcome<LocatedMap | undefined> {
  const source = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const lines = new LineIndex(source, file);
  const issue = (reason: string, offset: number, snippet = snippetAt(source, offset)): TreadleError =>
    treadleError('CONFIG_SYNTAX', { reason, snippet }, { at: lines.at(offset) });
  const builder = new TreeBuilder(source, lines);
  try {
    const events = parseEvents(source, { maxDepth: MAX_DEPTH + 1 });
    refuseFurtherDocuments(events, source);
    const tree = asMap(builder.build(events), lines);
    const issues = builder.problems.map((problem) => issue(problem.message, problem.offset));
    return { value: tree, issues };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { value: undefined, issues: [issue(error.message, error.offset)] };
    if (!(error instanceof YAMLException) || !error.mark) return { value: undefined, issues: [issue(String(error), 0)] };
    const reason = error.reason.startsWith(TOO_DEEP) ? TOO_DEEP_TEXT : error.reason;
    return { value: undefined, issues: [issue(reason, error.mark.position, hideSecrets(error.mark.snippet ?? ''))] };
  }
}

function refuseFurtherDocuments(events: readonly Event[], source: string): void {
  const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT).length;
  if (documents <= 1) return;
  throw new SyntaxProblem(`the file holds ${documents} YAML documents; one is allowed`, secondDocument(events, source));
}

/** Offset of the mark that ends the first document. */
function secondDocument(events: readonly Event[], source: string): number {
  const isExplicit = events[0]?.type === EVENT_ID.DOCUMENT && events[0].explicitStart;
  const first = events.slice(0, events.findIndex((event, index) => index > 0 && event.type === EVENT_ID.DOCUMENT));
  const end = first.reduce((last, event) => ('valueEnd' in event ? Math.max(last, event.valueEnd) : last), 0);
  const marks = [...source.slice(end).matchAll(/^(?:---|\.\.\.)/gm)];
  return end + (marks[end === 0 && isExplicit ? 1 : 0]?.index ?? 0);
}

function asMap(root: Located | undefined, lines: LineIndex): LocatedMap {
  if (root?.kind === 'map') return root;
  const isEmpty = root === undefined || (root.kind === 'scalar' && root.value === null);
  if (isEmpty) return { kind: 'map', entries: new Map(), at: lines.at(0) };
  const found = root.kind === 'list' ? 'a list' : 'a single value';
  throw new SyntaxProblem(`expected map with "modules", "plugins" and "engine", got ${found}`, lines.offset(root.at));
}
