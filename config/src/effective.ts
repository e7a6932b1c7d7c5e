import { withoutSecrets } from './effective/without-secrets.js';
import { layOut } from './effective/layout.js';
import { yamlText } from './effective/yaml-text.js';
import type { EffectiveConfig, EffectiveSection } from './effective/effective-config.js';

/** The effective configuration as YAML: each value with its origin as a comment, secrets as "[redacted]". */
export function printEffective(effective: EffectiveConfig): string {
  return yamlText(layOut(effective));
}

/** The same as a JSON value, for `--json`: each entry with its config, the origins by path, and whether it was added. */
export function effectiveJson(effective: EffectiveConfig): object {
  return {
    plugins: effective.plugins.map(({ name, at }) => ({ name, ...(at && { at }) })),
    engine: jsonSection(effective.engine),
    modules: effective.entries.map((entry) => ({
      class: entry.class,
      ...(entry.servedAs !== undefined && { servedAs: entry.servedAs }),
      ...(entry.name !== undefined && { name: entry.name }),
      added: entry.implicit,
      ...(entry.at && { at: entry.at }),
      ...jsonSection(entry),
      adapters: entry.adapters.map((adapter) => ({
        slot: adapter.slot, class: adapter.class, ...(adapter.servedAs !== undefined && { servedAs: adapter.servedAs }),
        added: adapter.at === undefined, ...(adapter.at && { at: adapter.at }), ...jsonSection(adapter),
      })),
    })),
  };
}

function jsonSection(section: EffectiveSection): object {
  return { config: withoutSecrets(section), origins: section.origins };
}
