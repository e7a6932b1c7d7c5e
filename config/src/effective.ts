import type { ConfigSchema, SourceLocation } from '@treadle/api';
import { withoutSecrets } from './effective/without-secrets.js';
import { layOut } from './effective/layout.js';
import { yamlText } from './effective/yaml-text.js';
import type { Origins } from './validate.js';

/** A validated section with what is needed to print it. */
export interface EffectiveSection {
  readonly config: Readonly<Record<string, unknown>>;
  readonly origins: Origins;
  /** Says which settings are secret. */
  readonly schema: ConfigSchema;
}

/** The adapter in a slot of an entry. */
export interface EffectiveAdapter extends EffectiveSection {
  /** Key in the module's config. */
  readonly slot: string;
  /** The slot's value is a list. */
  readonly many: boolean;
  readonly class: string;
  /** The alias that the file uses. */
  readonly servedAs?: string | undefined;
  /** Absent: not in the file, built because it is the slot's default. */
  readonly at?: SourceLocation | undefined;
}

/** One module of the effective configuration. */
export interface EffectiveEntry extends EffectiveSection {
  readonly class: string;
  /** The alias that the file uses. */
  readonly servedAs?: string | undefined;
  readonly name?: string | undefined;
  /** Added because the file does not name it. */
  readonly implicit: boolean;
  readonly at?: SourceLocation | undefined;
  /** In the order of the slots; those of one list in its order. */
  readonly adapters: readonly EffectiveAdapter[];
}

/** The whole effective configuration. */
export interface EffectiveConfig {
  readonly entries: readonly EffectiveEntry[];
  readonly plugins: readonly { readonly name: string; readonly at?: SourceLocation | undefined }[];
  readonly engine: EffectiveSection;
}

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
