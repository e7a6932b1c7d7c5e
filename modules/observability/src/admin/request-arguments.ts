import { invalidArgument } from '@treadle/api';

type Source = Readonly<Record<string, unknown>>;

/** Reads what a request asks for, from its query or its body: every refusal names the argument and what it may be. */
export class RequestArguments {
  private constructor(private readonly source: Source) {}

  static of(source: unknown): RequestArguments {
    if (source === undefined || source === null) return new RequestArguments({});
    if (typeof source !== 'object' || Array.isArray(source)) throw invalidArgument('the body must be an object');
    return new RequestArguments(source as Source);
  }

  text(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    throw invalidArgument(`${name} must be a text`);
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.text(name);
    if (value === undefined || (allowed as readonly string[]).includes(value)) return value as T | undefined;
    throw invalidArgument(`${name} must be one of ${allowed.join(', ')}, got "${value}"`);
  }

  number(name: string, least: number, most: number): number | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number === 'number' && number >= least && number <= most) return number;
    throw invalidArgument(`${name} must be a number from ${least} to ${most}, got ${JSON.stringify(value)}`);
  }

  whole(name: string, least: number, most: number): number | undefined {
    const number = this.number(name, least, most);
    if (number === undefined || Number.isInteger(number)) return number;
    throw invalidArgument(`${name} must be a whole number from ${least} to ${most}, got ${number}`);
  }

  /** Milliseconds since the epoch, given so or as ISO 8601. */
  time(name: string): number | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    const time = typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value) ? Date.parse(value) : Number(value);
    if (Number.isFinite(time)) return time;
    throw invalidArgument(`${name} must be a time, as ISO 8601 or in milliseconds since 1970, got ${JSON.stringify(value)}`);
  }

  /** A map of simple values; in a query as JSON. */
  map(name: string): Readonly<Record<string, string | number | boolean>> | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    const map = typeof value === 'string' ? parsed(value) : value;
    const simple = (item: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof item);
    if (typeof map === 'object' && map !== null && !Array.isArray(map) && Object.values(map).every(simple)) return map as Readonly<Record<string, string>>;
    throw invalidArgument(`${name} must be an object of texts, numbers and booleans`);
  }

  private take(name: string): unknown {
    const value = Object.hasOwn(this.source, name) ? this.source[name] : undefined;
    return value === null || value === '' && name !== 'step' ? undefined : value;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller says what it must be.
    return undefined;
  }
}
