import type { TelemetryDoc } from '@treadle/api';
import { formatTable } from '../terminal/table.js';
import type { ClassDescription } from './class-description.js';
import type { Setting } from './settings.js';

/** Sections are indented by this. */
const INDENT = '  ';

/** The description of a class as text, sections without content left out. @param columns of the terminal, for wrapping */
export function formatDescription(about: ClassDescription, columns = Infinity): string {
  const table: Table = (rows) => formatTable(rows, columns - INDENT.length);
  const sections = [
    head(about),
    section('Settings', settingsTable(about.settings, table)),
    section('Provides', about.provides.join('\n')),
    section('Slots', table(about.slots.map(slotRow))),
    section('Trigger kinds', table(about.triggers.map((kind) => [kind.type, kind.summary]))),
    section('Operations', table(about.operations.map((operation) => [operation.name, operation.summary]))),
    section('Capabilities', capabilityTable(about.capabilities)),
    section('Spans', telemetry(about.emits.spans, table)),
    section('Metrics', telemetry(about.emits.metrics, table)),
    section('Logs', telemetry(about.emits.logs, table)),
    section('Example', about.example.trimEnd()),
  ];
  return sections.filter((part) => part !== '').join('\n\n');
}

type Table = (rows: readonly (readonly string[])[]) => string;

function head(about: ClassDescription): string {
  const origin = `${about.package.name} ${about.package.version}${about.plugin ? ' (plugin)' : ''}`;
  const kind = about.slot ? `${about.slot} adapter` : about.kind;
  const aliases = about.aliases.length > 0 ? [`also known as ${about.aliases.join(', ')}`] : [];
  return [about.class, about.summary, `${kind}, ${about.stability} since ${about.since}, from ${origin}`, ...aliases].join('\n');
}

function section(title: string, body: string): string {
  return body === '' ? '' : `${title}\n${body.split('\n').map((line) => (line === '' ? '' : INDENT + line)).join('\n')}`;
}

function settingsTable(settings: readonly Setting[], table: Table): string {
  if (settings.length === 0) return '';
  const columns = ['SETTING', 'TYPE', 'DEFAULT', 'UNIT', 'ENV', 'RELOAD', 'MEANING'];
  const rows = [columns, ...settings.map(settingRow)];
  const used = columns.map((_, index) => rows.slice(1).some((row) => row[index] !== ''));
  return table(rows.map((row) => row.filter((_, index) => used[index])));
}

function settingRow(setting: Setting): readonly string[] {
  const byDefault = setting.default === undefined ? (setting.required ? 'required' : '-') : JSON.stringify(setting.default);
  const notes = [setting.secret ? 'secret' : '', setting.deprecated ? `deprecated: ${setting.deprecated}` : ''].filter(Boolean);
  const meaning = notes.length > 0 ? `${setting.description} (${notes.join('; ')})` : setting.description;
  return [setting.key, setting.type, byDefault, setting.unit ?? '', setting.env ?? '', setting.live ? 'live' : 'restart', meaning];
}

function slotRow(slot: ClassDescription['slots'][number]): readonly string[] {
  const takes = `${slot.many ? 'any number of' : 'one'} ${slot.slot} ${slot.many ? 'adapters' : 'adapter'}`;
  return [slot.key, takes, slot.default ? `default ${[slot.default].flat().join(', ')}` : slot.optional ? 'optional' : 'required'];
}

/** One row per capability, one column per variant. */
function capabilityTable(variants: ClassDescription['capabilities']): string {
  if (variants === undefined) return '';
  const names = Object.keys(variants);
  const rows = [...new Set(Object.values(variants).flatMap((value) => Object.keys(value as object)))];
  const cells = rows.map((row) => [row, ...names.map((name) => show((variants[name] as Record<string, unknown>)[row]))]);
  return formatTable(names.length === 1 ? cells : [['', ...names], ...cells]);
}

function show(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === undefined ? '-' : String(value);
}

function telemetry(docs: readonly TelemetryDoc[] | undefined, table: Table): string {
  return table((docs ?? []).map((doc) => [doc.name, doc.unit ?? '', doc.description]));
}
