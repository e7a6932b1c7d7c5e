import type { SalvageReport, StoreCheck } from '@treadle/engine';

/** A store's state in a line, and what was found in one line each. */
export function formatCheck({ file, state, findings, warnings, files }: StoreCheck): string {
  const facts = files && `database ${files.database}, ${files.databaseBytes} bytes; log ${files.logBytes} bytes, ${files.logFrames} frames`
    + `; ${files.marked ? 'what was acknowledged is on record' : 'nothing is on record of what was acknowledged'}`;
  return [
    `${state.replace('_', ' ').padEnd(8)} ${file}${facts ? `  (${facts})` : ''}`,
    ...findings.map((text) => `         ${text}`),
    ...warnings.map((text) => `         warning: ${text}`),
    ...state === 'damaged' ? [`         keep all files; put a backup in its place, or save what can be read: treadle store salvage saved.db --file ${file}`] : [],
  ].join('\n');
}

/** How many rows of each table were saved, and what was not. */
export function formatSalvage({ source, target, tables, frames, skippedFrames, faults }: SalvageReport): string {
  const rows = tables.map(({ table, rows: count, lost }) => `${String(count).padStart(9)}  ${table}${lost === undefined ? '' : `  not all: ${lost}`}`);
  return [
    `${target}  saved from ${source}`, ...rows,
    `${String(frames).padStart(9)}  frames that the database lacked are in it${skippedFrames > 0 ? `, ${skippedFrames} are not: they are damaged or without an end` : ''}`,
    ...faults.map((text) => `known: ${text}`),
    `Compare it with your last backup and keep the damaged files. Then, while no engine runs: cp ${target} ${source}`,
    `A log that lies beside it (${source}-wal) is of the damaged file: the next start sets it aside as ${source}-wal.replaced`,
  ].join('\n');
}
