import { type ConfigSchema, isSecretField } from '@treadle/api';
import type { EffectiveSection } from './effective-config.js';
import { itemPath, keyPath } from '../located.js';
import { looksSecret, REDACTED, redactText } from '../secret-names.js';
import type { Origin } from '../validation/validated.js';
import type { PlaceKey } from '../validation/place.js';
import { schemasOfItems, schemasOfKey } from '../validation/schema-shape.js';

interface Context {
  readonly place: PlaceKey;
  readonly schemas: readonly ConfigSchema[];
  readonly secret: boolean;
  /** Of the value, or of the list that it is in. */
  readonly key: string;
}

/**
 * A copy of a section's config for people to see. Hidden are settings that the schema calls secret, values of variables
 * whose name says so, and what is hidden in logs, too: by `isSecretField` and `redactText`.
 */
export function withoutSecrets({ config, schema, origins }: EffectiveSection): Readonly<Record<string, unknown>> {
  const hideMap = (map: object, context: Context): Record<string, unknown> => {
    const target = Object.create(null) as Record<string, unknown>;
    for (const [key, value] of Object.entries(map)) target[key] = hide(value, below(key, context));
    return target;
  };
  const hide = (value: unknown, context: Context): unknown => {
    if (Array.isArray(value)) {
      const schemas = schemasOfItems(context.schemas);
      return value.map((item, index) => hide(item, { ...context, place: itemPath(context.place, index), schemas }));
    }
    if (typeof value === 'object' && value !== null) return hideMap(value, context);
    if (context.secret || (typeof value === 'string' && isSecretField(context.key, value)) || isFromSecret(origins[context.place])) return REDACTED;
    return typeof value === 'string' ? redactText(value) : value;
  };
  return hideMap(config, { place: '', schemas: [schema], secret: false, key: '' });
}

function below(key: string, context: Context): Context {
  const schemas = schemasOfKey(context.schemas, key);
  const secret = context.secret || schemas.some((schema) => schema['x-secret'] === true);
  return { place: keyPath(context.place, key), schemas, secret, key };
}

function isFromSecret(origin: Origin | undefined): boolean {
  return origin?.kind === 'env' && origin.variable.split(', ').some(looksSecret);
}
