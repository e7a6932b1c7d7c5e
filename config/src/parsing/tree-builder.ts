import {
  EVENT_ID, getScalarValue, SCALAR_STYLE,
  type AliasEvent, type Event, type MappingEvent, type ScalarEvent, type SequenceEvent,
} from 'js-yaml';
import type { Located, LocatedEntry, LocatedScalar } from '../located.js';
import { Anchors, type Measured } from './anchors.js';
import { scalarPlace } from './event-place.js';
import type { LineIndex } from './line-index.js';
import { coreTagName, isCoreTag, scalarValue, unknownTag } from './scalar-value.js';
import { SyntaxProblem } from './syntax-problem.js';

/** Nesting that a file may have, aliases counted as what they stand for. */
export const MAX_DEPTH = 100;
export const TOO_DEEP_TEXT = `more than ${MAX_DEPTH} levels of nesting`;

/** A file with more faults is not a configuration file. */
const MAX_PROBLEMS = 20;

/** A collection that is being read. */
interface Frame {
  readonly offset: number;
  readonly anchor: string | undefined;
  /** Of a map. */
  readonly entries?: Map<string, LocatedEntry>;
  /** Of a list. */
  readonly items?: Located[];
  /** Of a map: the key whose value comes next; null: the value of a refused key, to be dropped. */
  key?: { readonly text: string; readonly offset: number } | null | undefined;
  size: number;
  height: number;
}

/** Builds the tree of one document from js-yaml's events. Lasting problems are thrown, others collected in `problems`. */
export class TreeBuilder {
  readonly problems: SyntaxProblem[] = [];
  private readonly text: string;
  private readonly lines: LineIndex;
  private readonly anchors = new Anchors();
  private readonly frames: Frame[] = [];
  private root: Located | undefined;
  /** End of what has been read. */
  private cursor = 0;

  constructor(text: string, lines: LineIndex) {
    this.text = text;
    this.lines = lines;
  }

  /** @throws SyntaxProblem */
  build(events: readonly Event[]): Located | undefined {
    for (const event of events) this.take(event);
    return this.root;
  }

  private take(event: Event): void {
    switch (event.type) {
      case EVENT_ID.SCALAR: return this.scalar(event);
      case EVENT_ID.ALIAS: return this.alias(event);
      case EVENT_ID.MAPPING: return this.open(event, { entries: new Map() });
      case EVENT_ID.SEQUENCE: return this.open(event, { items: [] });
      case EVENT_ID.POP: return this.close();
      default: return undefined;
    }
  }

  private scalar(event: ScalarEvent): void {
    const offset = this.placeOf(event);
    this.cursor = Math.max(offset, event.valueEnd);
    // So that the next empty item of the list does not find this dash again.
    if (event.valueStart < 0 && this.text[offset] === '-') this.cursor = offset + 1;
    const text = getScalarValue(this.text, event);
    const measured = { node: this.scalarNode(event, text, offset), size: 1, height: 0 };
    const anchor = this.anchorOf(event);
    if (anchor !== undefined) this.anchors.define(anchor, measured);
    if (this.wantsKey()) this.key(text, offset, event);
    else this.deliver(measured, offset);
  }

  private placeOf(event: ScalarEvent): number {
    const frame = this.frames.at(-1);
    const isEmptyValue = event.valueStart < 0 && frame?.key;
    return isEmptyValue ? (frame.key?.offset as number) : scalarPlace(this.text, event, this.cursor);
  }

  private scalarNode(event: ScalarEvent, text: string, offset: number): LocatedScalar {
    const rawTag = this.slice(event.tagStart, event.tagEnd);
    const result = scalarValue(event, text, rawTag);
    if ('problem' in result) this.report(result.problem, event.tagStart);
    const value = 'problem' in result ? text : result.value;
    const plain = event.style === SCALAR_STYLE.PLAIN;
    const node = { kind: 'scalar' as const, value, at: this.lines.at(offset), plain };
    return typeof value === 'string' ? node : { ...node, text };
  }

  private alias(event: AliasEvent): void {
    const offset = event.anchorStart - 1;
    this.cursor = event.anchorEnd;
    const measured = this.anchors.use(this.slice(event.anchorStart, event.anchorEnd), offset);
    if (this.frames.length + measured.height > MAX_DEPTH) throw tooDeep(offset);
    if (this.wantsKey()) this.refuseKey('an alias cannot be a key', offset);
    else this.deliver(measured, offset);
  }

  private open(event: MappingEvent | SequenceEvent, content: Pick<Frame, 'entries' | 'items'>): void {
    const kind = content.items ? 'sequence' : 'mapping';
    const rawTag = this.slice(event.tagStart, event.tagEnd);
    if (rawTag !== '' && !isCoreTag(coreTagName(rawTag), kind)) this.report(unknownTag(rawTag), event.tagStart);
    const anchor = this.anchorOf(event);
    if (anchor !== undefined) this.anchors.open(anchor);
    this.cursor = Math.max(this.cursor, event.start);
    this.frames.push({ offset: event.start, anchor, ...content, size: 1, height: 1 });
  }

  private close(): void {
    const frame = this.frames.pop();
    // The end of the document.
    if (!frame) return;
    const at = this.lines.at(frame.offset);
    const node: Located = frame.entries
      ? { kind: 'map', entries: frame.entries, at }
      : { kind: 'list', items: frame.items ?? [], at };
    const measured = { node, size: frame.size, height: frame.height };
    if (frame.anchor !== undefined) this.anchors.define(frame.anchor, measured);
    if (this.wantsKey()) this.refuseKey('a key must be text, not a list or a map', frame.offset);
    else this.deliver(measured, frame.offset);
  }

  private wantsKey(): boolean {
    const frame = this.frames.at(-1);
    return frame?.entries !== undefined && frame.key === undefined;
  }

  private key(text: string, offset: number, event: ScalarEvent): void {
    const frame = this.frames.at(-1) as Frame;
    const first = frame.entries?.get(text);
    if (first) return this.refuseKey(`duplicate key ${shown(text)}, first on line ${first.keyAt.line}`, offset);
    if (text === '<<' && event.style === SCALAR_STYLE.PLAIN) return this.refuseKey('merge keys (<<) are not supported', offset);
    frame.key = { text, offset };
  }

  private refuseKey(reason: string, offset: number): void {
    this.report(reason, offset);
    (this.frames.at(-1) as Frame).key = null;
  }

  private deliver({ node, size, height }: Measured, offset: number): void {
    const frame = this.frames.at(-1);
    if (!frame) {
      this.root = node;
      return;
    }
    frame.size += size;
    frame.height = Math.max(frame.height, height + 1);
    if (this.frames.length + height > MAX_DEPTH) throw tooDeep(offset);
    frame.items?.push(node);
    if (frame.key) frame.entries?.set(frame.key.text, { keyAt: this.lines.at(frame.key.offset), value: node });
    frame.key = undefined;
  }

  private anchorOf(event: ScalarEvent | MappingEvent | SequenceEvent): string | undefined {
    return event.anchorStart < 0 ? undefined : this.slice(event.anchorStart, event.anchorEnd);
  }

  private slice(start: number, end: number): string {
    return start < 0 ? '' : this.text.slice(start, end);
  }

  private report(reason: string, offset: number): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(new SyntaxProblem(reason, offset));
  }
}

function tooDeep(offset: number): SyntaxProblem {
  return new SyntaxProblem(TOO_DEEP_TEXT, offset);
}

function shown(key: string): string {
  return JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key);
}
