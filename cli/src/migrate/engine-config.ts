import type { SourceLocation } from '@treadle/api';
import { foreignClass, foreignKey, parseConfig, type LocatedEntry, type LocatedMap } from '@treadle/config';
import { beginsLine, blockAt, entryAt, keyBlock, LineEdits, lineOf, type LineRange } from './yaml-lines.js';
import type { Rewritten } from './migration.js';

/** Names of the workers of newer configurations, by the class here; an empty one has nothing in its place. */
const WORKERS: Readonly<Record<string, string>> = {
  'iii-http': 'modules::http::HttpModule',
  'iii-queue': 'modules::queue::QueueModule',
  'iii-state': 'modules::state::StateModule',
  'iii-stream': 'modules::stream::StreamModule',
  'iii-cron': 'modules::cron::CronModule',
  'iii-observability': 'modules::observability::OtelModule',
  'iii-pubsub': '', 'iii-exec': '', 'iii-worker-manager': '',
};
/** Classes by the names that they have had. */
const CLASSES: Readonly<Record<string, string>> = {
  'modules::streams::StreamModule': 'modules::stream::StreamModule',
  'modules::streams::adapters::KvStore': 'modules::stream::adapters::KvStore',
};
/** Settings that go without a word, for nothing is lost with them. */
const WITHOUT_MEANING = /^(?:save_interval_ms|poll_interval_ms|lock_\w+|logs_\w+|service_instance_id)$/;
const NO_ADAPTER = 'the engine keeps its data in its own file instead; what lies in the other store is not carried over';

/**
 * A configuration of an engine of the family: entries, adapters and keys that are not there are taken out, others get their names here.
 * A file that is none, or cannot be parsed, stays as it is.
 */
export function migrateEngineConfig(file: string, text: string): Rewritten {
  const { value: tree } = parseConfig(text, file);
  const edits = new LineEdits(text);
  const list = tree?.entries.get('modules') ?? tree?.entries.get('workers');
  if (!tree || list?.value.kind !== 'list') return { text, notes: [] };
  const isWorkers = !tree.entries.has('modules');
  if (isWorkers) edits.put(list.keyAt, 'workers', 'modules');
  for (const item of list.value.items) {
    if (item.kind === 'map') migrateEntry(edits, item, isWorkers);
  }
  return { text: edits.apply(), notes: edits.notes };
}

function migrateEntry(edits: LineEdits, entry: LocatedMap, isWorker: boolean): void {
  const named = entry.entries.get(isWorker ? 'name' : 'class');
  const name = textOf(named);
  if (named === undefined || name === undefined) return;
  const remedy = isWorker ? undefined : foreignClass(name);
  const wanted = isWorker ? WORKERS[name] : CLASSES[name] ?? writtenIn(remedy);
  if (wanted === undefined ? isWorker || remedy !== undefined : wanted === '') {
    take(edits, entry.at, name, entryAt);
    if (wanted !== '' && !/::(?:ExecModule|PubSubModule)$/.test(name)) {
      edits.note(lineOf(entry.at), `there is nothing in the place of "${name}"`, remedy?.replace(/^remove this entry: /, '') ?? 'its program is started beside the engine');
    }
    return;
  }
  if (isWorker) edits.put(named.keyAt, 'name', 'class');
  if (wanted !== undefined) edits.put(named.value.at, name, wanted);
  const config = entry.entries.get('config')?.value;
  if (config?.kind === 'map') migrateSettings(edits, config, wanted ?? name.replace('modules::api::RestApiModule', 'modules::http::HttpModule'));
}

/** Takes the lines of something out; what stands on a line with others is told instead. */
function take(edits: LineEdits, at: SourceLocation, name: string, rangeOf: (lines: readonly string[], line: number) => LineRange): void {
  if (beginsLine(edits.lines, at)) edits.remove(rangeOf(edits.lines, lineOf(at)));
  else edits.note(lineOf(at), `"${name}" stands on a line with others`, 'remove it by hand');
}

/** The name that a remedy says to write. */
function writtenIn(remedy: string | undefined): string | undefined {
  return /^write "([^"]+)"$/.exec(remedy ?? '')?.[1];
}

function migrateSettings(edits: LineEdits, config: LocatedMap, module: string, place = ''): void {
  for (const [key, setting] of config.entries) {
    const remedy = foreignKey(place + key, module);
    const wanted = writtenIn(remedy);
    if (key === 'adapter') migrateAdapter(edits, setting, module);
    else if (setting.value.kind === 'map' && remedy === undefined) migrateSettings(edits, setting.value, module, `${place}${key}.`);
    else if (wanted !== undefined) edits.put(setting.keyAt, key, wanted);
    else if (key === 'format' && setting.value.kind === 'scalar' && setting.value.value === 'default') edits.put(setting.value.at, 'default', 'text');
    else if (remedy?.startsWith('remove it') === true) {
      take(edits, setting.keyAt, key, keyBlock);
      if (!WITHOUT_MEANING.test(key)) edits.note(lineOf(setting.keyAt), `"${key}" is not a setting of the module`, remedy.replace(/^remove it: /, ''));
    }
  }
}

function migrateAdapter(edits: LineEdits, adapter: LocatedEntry, module: string): void {
  const { value } = adapter;
  const named = value.kind === 'map' ? value.entries.get('class') ?? value.entries.get('name') : undefined;
  const name = value.kind === 'scalar' ? String(value.value) : textOf(named);
  if (name === undefined) return;
  const area = module.split('::')[1] ?? '';
  const kept = name === 'kv' && area !== 'cron' ? `modules::${area}::adapters::KvStore` : CLASSES[name];
  const isOwn = /^modules::/.test(name) && foreignClass(name) === undefined;
  if (named !== undefined && (kept !== undefined || isOwn)) {
    if (value.kind === 'map' && value.entries.has('name')) edits.put(named.keyAt, 'name', 'class');
    if (kept !== undefined) edits.put(named.value.at, name, kept);
    const config = value.kind === 'map' ? value.entries.get('config')?.value : undefined;
    if (config?.kind === 'map') migrateSettings(edits, config, kept ?? name);
    return;
  }
  take(edits, adapter.keyAt, 'adapter', blockAt);
  if (/redis|rabbit|bridge/i.test(name)) edits.note(lineOf(adapter.keyAt), `there is no adapter "${name}"`, NO_ADAPTER);
}

function textOf(entry: LocatedEntry | undefined): string | undefined {
  return entry?.value.kind === 'scalar' && typeof entry.value.value === 'string' ? entry.value.value : undefined;
}
