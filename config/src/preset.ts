import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Located } from './located.js';
import { parseConfig } from './parse.js';

/** Presets shipped in `presets/`. */
export type PresetName = 'default' | 'development' | 'production';

/** Presets that an `engine:` section may name. */
export const ENGINE_PRESETS = ['development', 'production'] as const satisfies readonly PresetName[];

/** The text of a shipped preset and the name that errors about it use. */
export function readPreset(name: PresetName): { text: string; file: string } {
  const path = fileURLToPath(new URL(`../presets/${name}.yaml`, import.meta.url));
  return { text: readFileSync(path, 'utf8'), file: `(${name} preset)` };
}

/**
 * An interpolated `engine:` section with the settings of the preset that it names; those that it writes itself win. A name
 * that is none is left to `ENGINE_SCHEMA`.
 */
export function withPreset(engine: Located | undefined): Located | undefined {
  if (engine?.kind !== 'map') return engine;
  const named = engine.entries.get('preset')?.value;
  const name = ENGINE_PRESETS.find((preset) => named?.kind === 'scalar' && named.value === preset);
  const settings = name && engineOf(name);
  if (settings?.kind !== 'map') return engine;
  const unwritten = [...settings.entries].filter(([key]) => !engine.entries.has(key));
  return { ...engine, entries: new Map([...engine.entries, ...unwritten]) };
}

function engineOf(name: PresetName): Located | undefined {
  const { text, file } = readPreset(name);
  return parseConfig(text, file).value?.entries.get('engine')?.value;
}
