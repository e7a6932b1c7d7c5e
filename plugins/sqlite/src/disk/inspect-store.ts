import { existsSync, fstatSync, readSync } from 'node:fs';
import { BESIDE_STORE, KV_LOG_BEGINNING, type KvLog } from '@treadle/api';
import { checkPages, pageSizeOf } from './page-check.js';
import { kvLogFault, kvRecordOf } from './kv-record.js';
import { type IndexedLog, readIndexedLog } from './log-index.js';
import { withFile } from './own-file.js';
import { type LogPosition, markOf, StoreMark } from './store-mark.js';
import { isBackupContent, type LogEnd, type LogHeader, readLogHeader, saltOfFrame, walkLog } from '@treadle/api/write-ahead-log';

/** What the files of a store are, read as they lie on the disk. */
export interface StoreInspection {
  /** `copy`: one that `backup` made and nobody has opened since. */
  readonly database: 'missing' | 'empty' | 'copy' | 'present';
  readonly databaseBytes: number;
  readonly logBytes: number;
  /** Frames of the log that are sound, up to the end of its last transaction. */
  readonly logFrames: number;
  /** What the last engine acknowledged is on record. */
  readonly marked: boolean;
  /** The database was too large to be read as a whole. */
  readonly partly: boolean;
  /** What shows that something that was acknowledged is gone or changed. */
  readonly faults: readonly string[];
  /** What cannot be told, or may be so after a power cut. */
  readonly warnings: readonly string[];
  /**
   * What is wrong with a log all of which is in the database. SQLite would play its sound beginning, which is older than the database: it has to be
   * set aside first.
   */
  readonly obsoleteLog: string | undefined;
}

type Findings = { readonly faults: string[]; readonly warnings: string[] };

interface LogContent extends LogEnd, KvLog {
  readonly header: LogHeader | undefined;
  /** Pages that it has newer than the database. */
  readonly held: ReadonlySet<number>;
}

const NO_LOG: LogContent = { bytes: 0, header: undefined, isSound: false, beginning: Buffer.alloc(KV_LOG_BEGINNING), frames: 0, pages: 0, held: new Set() };

/**
 * Looks at database and log without SQLite, which would take a database that is gone for a new one and remove the log beside it,
 * and ends a log silently where it is damaged. Changes nothing. Only while no engine has the store.
 * @param most bytes of the database that are compared with what was written
 */
export function inspectStore(file: string, most = Infinity): StoreInspection {
  const findings: Findings = { faults: [], warnings: [] };
  const log = withFile(`${file}-wal`, contentOf) ?? NO_LOG;
  const databaseBytes = withFile(file, (descriptor) => fstatSync(descriptor).size);
  const mark = StoreMark.read(file);
  const record = mark ? undefined : kvRecordOf(file);
  try {
    const database = databaseBytes === undefined ? 'missing' : databaseBytes === 0 ? 'empty' : withFile(file, isBackupContent) === true ? 'copy' : 'present';
    const facts = { database, databaseBytes: databaseBytes ?? 0, logBytes: log.bytes, logFrames: log.frames, marked: mark !== undefined || record !== undefined } as const;
    const kvFault = record && kvLogFault(file, record, log);
    if (kvFault !== undefined) findings.faults.push(kvFault);
    if (database === 'missing' || database === 'empty') findings.faults.push(...faultsOfAbsence(`"${file}" is ${database}`, file, log, mark));
    const obsoleteLog = database === 'present' && mark ? judge(file, log, mark, { ...findings, most }) : undefined;
    // A `KvStore` has neither lock nor mark.
    if (database === 'present' && !mark && existsSync(file + BESIDE_STORE.lock)) findings.warnings.push(`"${markOf(file)}" is missing: nothing can be compared with what was acknowledged`);
    return { ...facts, ...findings, obsoleteLog, partly: facts.databaseBytes > most };
  } finally {
    mark?.close();
  }
}

function faultsOfAbsence(what: string, file: string, log: LogContent, mark: StoreMark | undefined): readonly string[] {
  if (log.bytes > 0) return [`${what}, and "${file}-wal" beside it holds data (${log.frames} frames)`];
  return mark?.position ? [`${what}, and "${markOf(file)}" says that it held data`] : [];
}

/** @returns what is wrong with a log that has to be set aside */
function judge(file: string, log: LogContent, mark: StoreMark, context: Findings & { readonly most: number }): string | undefined {
  const { faults, warnings, most } = context;
  const position = newest(mark.position, withFile(`${file}-shm`, readIndexedLog));
  if (!position || mark.badBlocks > 0) warnings.push(`"${markOf(file)}" is not sound: not everything can be compared with what was acknowledged`);
  // A log that ends before what was moved out of it has nothing newer than the database.
  const held = position && isOf(log, position) && log.frames < position.moved ? NO_LOG.held : log.held;
  const pages = held.size > 0 ? log.pages : position?.pages ?? 0;
  const mayBeMoved = position !== undefined && mayHaveLeft(log, mark, position);
  const wrong = wrongPages(file, log, mark, { last: pages, most: mayBeMoved ? Infinity : most, held });
  const obsoleteLog = position && (wrong !== undefined || !mayBeMoved) ? judgeLog(file, log, position, context) : undefined;
  if (wrong !== undefined) faults.push(wrong);
  return obsoleteLog;
}

/**
 * SQLite moves a log and removes it when its last reader closes, which may be another program and later than the engine. The mark knows what the database is
 * then: when all pages are that, nothing is missing.
 */
function mayHaveLeft(log: LogContent, mark: StoreMark, position: LogPosition): boolean {
  return !isOf(log, position) && position.frames > position.moved && position.foreseen && mark.badBlocks === 0 && mark.sums.covers(position.pages);
}

interface Compared {
  /** Page of the database. */
  readonly last: number;
  /** Bytes that are compared. */
  readonly most: number;
  /** Pages that the log has newer. */
  readonly held: ReadonlySet<number>;
}

/** @returns what of the database is not what was written */
function wrongPages(file: string, { header }: LogContent, { sums }: StoreMark, { last, most, held }: Compared): string | undefined {
  return withFile(file, (descriptor) => {
    const pageSize = (pageSizeOf(descriptor) || header?.pageSize) ?? 0;
    if (pageSize === 0) return `"${file}" does not begin as a database does`;
    const wrong: number[] = [];
    const to = Math.min(last, Math.floor(most / pageSize));
    checkPages(descriptor, sums, { from: 1, to, pageSize, except: held }, (page) => wrong.push(page));
    return wrong.length > 0 ? `${wrong.length} of ${to} pages of "${file}" are not what was written, the first is page ${wrong[0]}` : undefined;
  });
}

/** With each commit only the index is written, the mark some milliseconds later; after a move both are of one log. */
function newest(marked: LogPosition | undefined, indexed: IndexedLog | undefined): LogPosition | undefined {
  if (!marked || !indexed?.salt.equals(marked.salt) || indexed.frames <= marked.frames) return marked;
  return { ...marked, frames: indexed.frames, pages: indexed.pages, foreseen: false };
}

/**
 * What is in the database already the log need not have, but then none of it may be played.
 * @returns what is wrong with a log that has to be set aside
 */
function judgeLog(file: string, log: LogContent, position: LogPosition, { faults, warnings }: Findings): string | undefined {
  const { frames, moved, durability } = position;
  const isSame = isOf(log, position);
  if (isSame ? log.frames >= frames : frames <= moved) return undefined;
  const isOlder = isSame && log.frames < moved;
  if (isOlder && frames === moved && !goesOnBehind(file, log, position)) return `"${file}-wal" is sound up to frame ${log.frames} of ${frames}`;
  const what = log.bytes === 0 ? 'is missing or empty' : isSame ? `is sound up to frame ${log.frames}` : 'is not the one that was written';
  const text = `"${file}-wal" ${what}, and ${frames} frames of it were acknowledged`;
  // A power cut takes nothing that was moved: the log is synced before.
  if (durability === 'full' || isOlder) faults.push(text);
  else warnings.push(`${text}: the store is relaxed, so a power cut may have taken them`);
  return undefined;
}

function isOf({ header }: LogContent, { salt }: LogPosition): boolean {
  return header?.salt.equals(salt) ?? false;
}

/** More was written than is on record, as may be after a power cut. */
function goesOnBehind(file: string, { header }: LogContent, { frames, salt }: LogPosition): boolean {
  return withFile(`${file}-wal`, (descriptor) => header && saltOfFrame(descriptor, frames + 1, header.pageSize).equals(salt)) ?? false;
}

function contentOf(descriptor: number): LogContent {
  const { size: bytes } = fstatSync(descriptor);
  const header = readLogHeader(descriptor);
  const beginning = Buffer.alloc(KV_LOG_BEGINNING);
  readSync(descriptor, beginning, 0, KV_LOG_BEGINNING, 0);
  if (!header) return { ...NO_LOG, bytes, beginning };
  const held = new Set<number>();
  let open: number[] = [];
  const end = walkLog(descriptor, header, ({ page, pagesAfter }) => {
    open.push(page);
    if (pagesAfter === 0) return;
    for (const each of open) held.add(each);
    open = [];
  });
  return { ...end, bytes, header, isSound: true, beginning, held };
}
