import { SCHEMA_MARKS } from '@treadle/protocol';
import { isZod3, type Zod3Schema } from '../running/zod-3.js';

type Json = Readonly<Record<string, unknown>>;
type Write = (def: Zod3Schema['_def'], depth: number) => Json;

/** Deeper parts, and what refers to itself, stay open. */
const MAX_DEPTH = 16;
const LAX = { [SCHEMA_MARKS.lax]: true };

/**
 * The outline of a zod 3 schema: kinds of values, members and lists, which the query needs to be read by and a description to be useful.
 * What it demands beyond that zod itself checks; parts that it takes in other forms than their own are open.
 */
export function zod3Json(schema: unknown, depth = 0): Json {
  if (!isZod3(schema) || depth > MAX_DEPTH) return {};
  const { description, typeName, coerce } = schema._def;
  const written = WRITERS[typeName]?.(schema._def, depth + 1) ?? {};
  return { ...written, ...(coerce === true && LAX), ...(typeof description === 'string' && { description }) };
}

const inner: Write = ({ innerType }, depth) => zod3Json(innerType, depth);
const kind = (type: string): Write => () => ({ type });

const WRITERS: Readonly<Record<string, Write>> = {
  ZodString: kind('string'),
  ZodNumber: kind('number'),
  ZodBoolean: kind('boolean'),
  ZodNull: kind('null'),
  ZodLiteral: ({ value }) => (isJsonScalar(value) ? { const: value } : {}),
  ZodEnum: ({ values }) => ({ type: 'string', enum: values }),
  ZodNativeEnum: () => ({ type: ['string', 'number'] }),
  ZodObject: objectOf,
  ZodRecord: () => ({ type: 'object' }),
  ZodArray: ({ type }, depth) => ({ type: 'array', items: zod3Json(type, depth) }),
  ZodTuple: () => ({ type: 'array' }),
  ZodUnion: ({ options }, depth) => ({ anyOf: (options as readonly unknown[]).map((option) => zod3Json(option, depth)) }),
  ZodDiscriminatedUnion: ({ options }, depth) => ({ anyOf: [...(options as Iterable<unknown>)].map((option) => zod3Json(option, depth)) }),
  ZodNullable: (def, depth) => ({ anyOf: [inner(def, depth), { type: 'null' }] }),
  ZodOptional: inner,
  ZodDefault: inner,
  ZodReadonly: inner,
  ZodBranded: ({ type }, depth) => zod3Json(type, depth),
  ZodCatch: (def, depth) => ({ ...inner(def, depth), ...LAX }),
  ZodEffects: ({ schema, effect }, depth) => ({ ...zod3Json(schema, depth), ...((effect as { type?: unknown }).type === 'preprocess' && LAX) }),
  ZodPipeline: ({ in: first }, depth) => zod3Json(first, depth),
};

function objectOf({ shape }: Zod3Schema['_def'], depth: number): Json {
  const members = Object.entries((shape as () => Readonly<Record<string, unknown>>)());
  const required = members.filter(([, member]) => isAskedFor(member)).map(([name]) => name);
  return {
    type: 'object', properties: Object.fromEntries(members.map(([name, member]) => [name, zod3Json(member, depth)])),
    ...(required.length > 0 && { required }),
  };
}

/** Kinds that take an absent member, or may; whether they do, zod says. */
const ABSENT: ReadonlySet<string> = new Set(['ZodOptional', 'ZodDefault', 'ZodCatch', 'ZodAny', 'ZodUnknown', 'ZodUndefined', 'ZodVoid', 'ZodLazy', 'ZodEffects', 'ZodUnion', 'ZodPipeline', 'ZodLiteral']);

function isAskedFor(member: unknown): boolean {
  if (!isZod3(member)) return false;
  const { typeName, coerce, innerType, type } = member._def;
  if (ABSENT.has(typeName) || coerce === true) return false;
  if (typeName === 'ZodNullable' || typeName === 'ZodReadonly') return isAskedFor(innerType);
  return typeName !== 'ZodBranded' || isAskedFor(type);
}

const isJsonScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);
