import type { SchemaClass } from './schema-class.js';

/** A map whose `class` decides what its `config` takes. */
export function byClass(description: string, classes: readonly SchemaClass[], more: Readonly<Record<string, unknown>>): object {
  return {
    type: 'object', description, required: ['class'], additionalProperties: false,
    properties: {
      class: { type: 'string', description: 'Name of the class.', ...enumOf(classes.flatMap(names)) },
      ...more,
      config: { type: 'object', description: 'Settings of the class.' },
    },
    ...(classes.length > 0 && { allOf: classes.map(rule) }),
  };
}

function rule(one: SchemaClass): object {
  const config = { $ref: `#/definitions/${one.id}` };
  return {
    if: { properties: { class: { enum: names(one) } }, required: ['class'] },
    then: { properties: { config } },
  };
}

/** Draft-07 knows no empty enum. */
function enumOf(values: readonly string[]): object {
  return values.length > 0 ? { enum: values } : {};
}

function names({ id, aliases }: SchemaClass): readonly string[] {
  return [id, ...aliases];
}
