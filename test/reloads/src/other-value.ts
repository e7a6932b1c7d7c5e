import type { ConfigSchema } from '@treadle/api';

/** For settings whose values no rule finds: another valid one that the load survives. */
const CHOSEN: Readonly<Record<string, unknown>> = {
  host: 'localhost', cors: { allowed_origins: ['https://app.example'] }, static: [{ path: '/', dir: 'public' }],
  allowed_origins: ['https://app.example'], headers: { 'x-key': 'value' }, endpoint: 'http://127.0.0.1:9', level: 'debug',
  path: '/streams',
};

/** A valid value of a setting that is not `present`. Twice a number, else half of it: limits stay wide enough for the load. */
export function otherValue(key: string, schema: ConfigSchema, present: unknown): unknown {
  if (key in CHOSEN) return CHOSEN[key];
  if (schema.anyOf?.[0]) return otherValue(key, schema.anyOf[0], present);
  if (schema.enum) return schema.enum.find((value) => value !== present);
  if (schema.type === 'boolean') return present !== true;
  if (schema.type === 'number') return (schema.minimum ?? 0) + ((schema.maximum ?? 1) - (schema.minimum ?? 0)) / 2;
  if (schema.type === 'integer') return otherInteger(schema, present as number);
  return 'another';
}

function otherInteger({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: ConfigSchema, present: number): number {
  const double = Math.max(1, present) * 2;
  return double <= maximum ? double : Math.max(minimum, Math.floor(present / 2));
}
