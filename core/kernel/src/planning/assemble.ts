import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { ClassId } from '@treadle/api';
import { ENGINE_SCHEMA, type EffectiveConfig } from '@treadle/config';
import { applicationName } from '@treadle/protocol/build-lock';
import type { EnginePlan, PlannedEntry } from '../planned.js';
import type { PlanContext } from './context.js';
import type { Document } from './document.js';
import type { DraftEntry } from './draft-entry.js';
import { isLiveSetting } from './live-settings.js';

/** The plan of a configuration without errors. `drafts` in the order of the file, `ordered` in start order. */
export function assemble(
  document: Document, { env, registry }: Pick<PlanContext, 'env' | 'registry'>, drafts: readonly DraftEntry[], ordered: readonly DraftEntry[],
): EnginePlan {
  const { settings, folder, configFile } = document;
  const root = resolve(folder, settings.root ?? '.');
  return Object.freeze({
    root, dataDir: resolve(folder, settings.data_dir), mode: settings.mode, env, settings,
    application: applicationName(root), entries: ordered.map(plannedEntry), registry,
    effective: effectiveConfig(document, drafts),
    ...(configFile === undefined ? {} : { configFile }),
  });
}

function plannedEntry(draft: DraftEntry): PlannedEntry {
  const { instance, spec, found, config, implicit, entry } = draft;
  return {
    instance, spec, target: found.target, config, implicit,
    adapters: draft.adapters.map(({ planned }) => planned),
    provides: (spec.provides ?? []).map((port) => port.id),
    needs: [...new Set(draft.needs.map((need) => need.token.id))],
    fingerprint: fingerprint(draft, draft.config),
    frame: fingerprint(draft, fixedSettings(draft)),
    ...(entry.class === spec.id ? {} : { servedAs: entry.class as ClassId }),
  };
}

/** The place in the file is left out: moving an entry restarts nothing. Hashed, because configs hold secrets. */
function fingerprint({ instance, adapters }: DraftEntry, config: DraftEntry['config']): string {
  const parts = [
    [instance.id, instance.version, config],
    ...adapters.map(({ planned }) => [planned.slot, planned.spec.id, planned.instance.version, planned.config]),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** The settings that only another instance can have. */
function fixedSettings({ config, found }: DraftEntry): DraftEntry['config'] {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !isLiveSetting(found, key)));
}

function effectiveConfig(document: Document, drafts: readonly DraftEntry[]): EffectiveConfig {
  return {
    plugins: document.top.plugins.map(({ name, at }) => ({ name, at })),
    engine: { path: 'engine', config: document.engine.config, origins: document.engine.origins, schema: ENGINE_SCHEMA },
    entries: drafts.map(effectiveEntry),
  };
}

function effectiveEntry({ spec, entry, implicit, validated, adapters }: DraftEntry): EffectiveConfig['entries'][number] {
  // What no file names is called by its class.
  const sectionAt = (path: string): string => `${implicit ? spec.id + path.slice(entry.path.length) : path}.config`;
  return {
    path: sectionAt(entry.path), class: spec.id, servedAs: entry.class === spec.id ? undefined : entry.class, name: entry.name, implicit,
    at: implicit ? undefined : entry.at, config: validated.config, origins: validated.origins, schema: spec.config,
    adapters: adapters.map(({ planned: { instance, spec: own, slot, within, many, servedAs }, validated: { config, origins }, written }) => ({
      path: sectionAt(instance.path), slot, within: within === undefined ? undefined : sectionAt(within), many, class: own.id, servedAs,
      at: written ? instance.at : undefined, config, origins, schema: own.config,
    })),
  };
}
