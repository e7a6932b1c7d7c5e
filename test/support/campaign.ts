import { parseArgs } from 'node:util';

/** Options by their defaults: a number, a text, a switch that is off, or undefined for a text that may be missing. */
type Defaults = Readonly<Record<string, number | string | false | undefined>>;

/** What was given, in the types of the defaults. */
export type CampaignOptions<D extends Defaults> = {
  readonly [K in keyof D]: D[K] extends number ? number : D[K] extends string ? string : D[K] extends boolean ? boolean : string | undefined;
};

/**
 * The options of a campaign's command line, e.g. `--rate 200 --only queue`.
 * @throws Error for an option that is not among the defaults, and for a number that is none or below 0
 */
export function campaignOptions<const D extends Defaults>(defaults: D, args: readonly string[] = process.argv.slice(2)): CampaignOptions<D> {
  const options = Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, { type: value === false ? 'boolean' as const : 'string' as const }]));
  const { values } = parseArgs({ args: [...args], options });
  const given = Object.entries(defaults).map(([name, value]) => {
    const text = values[name];
    return [name, text === undefined ? value : typeof value === 'number' ? numberOf(name, String(text)) : text];
  });
  return Object.fromEntries(given) as CampaignOptions<D>;
}

function numberOf(name: string, text: string): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (!(value >= 0 && value < Infinity)) throw new Error(`--${name} must be a number from 0 on; got ${text}`);
  return value;
}

/** The numbers must be above 0. @throws Error that names the option */
export function aboveZero(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) if (!(value > 0)) throw new Error(`--${name} must be a number above 0; got ${value}`);
}

/** One of the texts, or undefined where none was given. @throws Error that names the option */
export function oneOf<T extends string>(name: string, text: string | undefined, texts: readonly T[]): T | undefined {
  if (text === undefined) return undefined;
  const found = texts.find((each) => each === text);
  if (found === undefined) throw new Error(`--${name} must be ${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}; got ${text}`);
  return found;
}

/** What repeats a run where none was asked for. */
export const randomSeed = (): number => Math.floor(Math.random() * 1e9);

/** Says what goes on, beside the results. */
export function progress(campaign: string, text: string): void {
  process.stderr.write(`[${campaign}] ${text}\n`);
}

/** Writes a line of the results. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Writes a line of a table, for people and for a README. */
export function sayRow(cells: readonly (string | number)[]): void {
  say(`| ${cells.join(' | ')} |`);
}

/** Writes the head of a table. `right`: from this column on numbers stand at the right. */
export function sayHead(columns: readonly string[], right = columns.length): void {
  sayRow(columns);
  say(`|${columns.map((name, index) => (index >= right && name !== '' ? '---:' : '---')).join('|')}|`);
}

/** Writes a result as one line of JSON; the process ends with 1 when one of them is not `ok`. */
export function tell(test: string, ok: boolean, result: object): void {
  say(JSON.stringify({ test, ok, ...result }));
  if (!ok) fail();
}

/** The process ends with 1. */
export function fail(): void {
  process.exitCode = 1;
}
