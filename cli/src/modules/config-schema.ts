import { ENGINE_SCHEMA, generateSchema, type SchemaClass } from '@treadle/config';
import type { RegisteredClass } from '@treadle/kernel';
import { count } from '../terminal/table.js';

/** The JSON Schema of a configuration file that may name these classes. */
export function buildSchema(classes: readonly RegisteredClass[]): object {
  return generateSchema(classes.map(schemaClass), ENGINE_SCHEMA);
}

/** What `treadle schema` says of its document, on stderr. @param file how the document is called */
export function schemaSummary(file: string, classes: readonly RegisteredClass[]): string {
  const modules = classes.filter((entry) => entry.kind === 'module').length;
  const plugins = new Set(classes.filter((entry) => !entry.builtin).map((entry) => entry.package.name)).size;
  const parts = ['draft-07', count(modules, 'module'), count(classes.length - modules, 'adapter'), count(plugins, 'plugin')];
  return `${file}: ${parts.join(', ')}\n`
    + `Put this first in your YAML:  # yaml-language-server: $schema=./${file}`;
}

function schemaClass(entry: RegisteredClass): SchemaClass {
  const { id, aliases = [], summary, config } = entry.spec;
  const common = { id, aliases, summary, schema: config, package: entry.package.name, ...(entry.spec.slots ? { slots: entry.spec.slots } : {}) };
  if (entry.kind === 'adapter') return { ...common, kind: 'adapter', slot: entry.spec.slot.id };
  return { ...common, kind: 'module' };
}
