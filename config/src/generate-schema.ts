import type { ConfigSchema, SlotUse } from '@treadle/api';
import { byClass } from './schema/by-class.js';
import type { SchemaClass } from './schema/schema-class.js';
import { withPlaceholders } from './schema/with-placeholders.js';

/**
 * One draft-07 document for the whole file, so that editors complete and check it. Wherever the engine would replace
 * `${VAR}`, the document takes it too.
 */
export function generateSchema(classes: readonly SchemaClass[], engine: ConfigSchema): object {
  const modules = classes.filter((one) => one.kind === 'module');
  const slots = [...new Set(classes.map((one) => one.slot).filter((slot) => slot !== undefined))].sort();
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Treadle configuration',
    type: 'object',
    additionalProperties: false,
    properties: {
      modules: {
        type: 'array', description: 'Modules that the engine runs, with their settings. Their order does not matter.',
        items: { $ref: '#/definitions/module' },
      },
      plugins: {
        type: 'array', description: 'Packages that bring further classes: package names, or paths relative to this file.',
        items: { type: 'string', minLength: 1 },
      },
      engine: withPlaceholders(engine),
    },
    definitions: {
      module: byClass('A module and its settings.', modules, {
        name: {
          type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$',
          description: 'Tells two entries of the same class apart.',
        },
        enabled: withPlaceholders({
          type: 'boolean', default: true, description: 'false leaves the module out, also when it would be added by itself.',
        }, false),
      }),
      ...Object.fromEntries(slots.map((slot) => [
        slotDefinition(slot), byClass(`An adapter for ${slot} and its settings.`, classes.filter((one) => one.slot === slot), {}),
      ])),
      ...Object.fromEntries(classes.map((one) => [one.id, classDefinition(one, slots)])),
    },
  };
}

/** Plain enough for a URI; class IDs are, too. */
function slotDefinition(slot: string): string {
  return `slot-${slot}`;
}

function classDefinition({ schema, summary, slots = {}, package: source }: SchemaClass, known: readonly string[]): object {
  const description = `${summary} (${source})`;
  const adapters = Object.entries(slots).map(([key, use]) => [key, slotSchema(schema.properties?.[key], use, known)]);
  const needed = Object.entries(slots).filter(([, use]) => !use.optional && use.default === undefined).map(([key]) => key);
  const required = [...new Set([...schema.required ?? [], ...needed])];
  const own = withPlaceholders(schema) as { properties?: object };
  return {
    ...own, type: 'object', description,
    properties: { ...own.properties, ...Object.fromEntries(adapters) as object },
    ...(required.length > 0 && { required }),
  };
}

function slotSchema(written: ConfigSchema | undefined, use: SlotUse, known: readonly string[]): object {
  const { id } = use.slot;
  const entry = known.includes(id) ? { $ref: `#/definitions/${slotDefinition(id)}` } : { type: 'object' };
  const description = written?.description ?? `Adapter for ${id}.`;
  // Beside a $ref draft-07 ignores everything else.
  return use.many ? { type: 'array', description, items: entry } : { description, allOf: [entry] };
}
