import type { SchemaClass } from '../generate-schema.js';

/** A map whose `class` decides what its `config` takes. */
export function byClass(description: string, classes: readonly SchemaClass[], more: Readonly<Record<string, unknown>>): object {
  return {
    type: 'object', description, required: ['class'], additionalProperties: false,
    properties: {
      class: { type: 'string', description: 'Name of the class.', enum: classes.flatMap(names) },
      ...more,
      config: { type: 'object', description: 'Settings of the class.' },
    },
    ...(classes.length > 0 && { allOf: classes.map(rule) }),
  };
}

function rule(one: SchemaClass): object {
  const [id] = names(one);
  const config = { $ref: `#/definitions/${encodeURIComponent(id as string)}` };
  return {
    if: { properties: { class: { enum: names(one) } }, required: ['class'] },
    then: { properties: { config } },
  };
}

function names({ id, aliases }: SchemaClass): readonly string[] {
  return [id, ...aliases];
}
