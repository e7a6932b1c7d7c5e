/** What people and broken editors write, and what parsers trip over. */
const PIECES: readonly string[] = [
  ':', '- ', '{', '}', '[', ']', ',', '#', '&a ', '*a', '!!binary ', '!x ', '|', '>-', '%', '@', '`', '"', "'", '\t', '\n', '\r\n', '\u0000',
  '\u001b[31m', '\ufeff', '\u2028', '\ud800', '…', '---\n', '...\n', '? ', '<<: ', '${', '${A}', '${PORT}', '${PORT:', '$${A}', '${A:${B}}', '}',
  '__proto__', 'constructor', 'null', '~', 'true', 'yes', '.nan', '.inf', '1e999', '0x', '0o17', '99999999999999999999', '-0', '2026-01-01',
  'modules', 'class', 'config', 'name', 'enabled', 'engine', 'plugins', 'adapter', 'port', 'host', 'runtimes', '../x', './config.yaml', '.',
  'modules::http::HttpModule', 'modules::http::HttpModul', 'modules::runtime::adapters::Node', 'acme::aa::Bb', '::', ' '.repeat(40), 'x'.repeat(300),
];

type Mutation = (text: string, next: () => number) => string;

const at = (text: string, next: () => number): number => Math.floor(next() * (text.length + 1));
const pick = <T>(list: readonly T[], next: () => number): T => list[Math.floor(next() * list.length)] as T;

function lines(change: (all: string[], index: number, next: () => number) => void): Mutation {
  return (text, next) => {
    const all = text.split('\n');
    change(all, Math.floor(next() * all.length), next);
    return all.join('\n');
  };
}

const MUTATIONS: readonly Mutation[] = [
  (text, next) => { const i = at(text, next); return text.slice(0, i) + pick(PIECES, next) + text.slice(i); },
  (text, next) => { const i = at(text, next); return text.slice(0, i) + text.slice(i + 1 + Math.floor(next() * 6)); },
  (text, next) => { const i = at(text, next); return text.slice(0, i) + pick(PIECES, next) + text.slice(i + 1 + Math.floor(next() * 8)); },
  (text, next) => text.slice(0, at(text, next)),
  (text, next) => text.replace(/: [^\n]*/g, (value) => (next() < 0.2 ? `: ${pick(PIECES, next)}` : value)),
  (text, next) => text.replace(/[a-z_]+:/g, (key) => (next() < 0.1 ? `${key.slice(1)}` : key)),
  (text, next) => text.replace(/\d+/g, (number) => (next() < 0.5 ? String(Math.floor((next() - 0.3) * 10 ** Math.floor(next() * 12))) : number)),
  lines((all, index) => void all.splice(index, 1)),
  lines((all, index) => void all.splice(index, 0, all[index] ?? '')),
  lines((all, index, next) => { all[index] = ' '.repeat(Math.floor(next() * 8)) + (all[index] ?? '').trimStart(); }),
  lines((all, index, next) => { const other = Math.floor(next() * all.length); [all[index], all[other]] = [all[other] ?? '', all[index] ?? '']; }),
];

/** The text with one to five accidents. */
export function mutate(text: string, next: () => number): string {
  let changed = text;
  for (let count = 1 + Math.floor(next() * 5); count > 0; count -= 1) changed = pick(MUTATIONS, next)(changed, next);
  return changed;
}
