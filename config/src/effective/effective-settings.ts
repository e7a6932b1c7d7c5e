import { type EffectiveSetting, REDACTED, type SettingOrigin, type SourceLocation } from '@treadle/api';
import { itemPath, keyPath } from '../located.js';
import { fullPath } from '../validation/place.js';
import type { Origin } from '../validation/validated.js';
import type { EffectiveAdapter, EffectiveConfig, EffectiveEntry, EffectiveSection } from './effective-config.js';
import { withoutSecrets } from './without-secrets.js';

/** Names that stand for a file where a value comes from elsewhere: `(default preset)`, `(--port)`. */
const NO_FILE = /^\((.+)\)$/;

/** The effective configuration value by value, secrets as "[redacted]". */
export function effectiveSettings({ engine, entries }: EffectiveConfig): readonly EffectiveSetting[] {
  return [...settingsOf(engine), ...entries.flatMap((entry) => [classOf(entry), ...settingsOf(entry, entry.class), ...entry.adapters.flatMap(adapterSettings)])];
}

function adapterSettings(adapter: EffectiveAdapter): readonly EffectiveSetting[] {
  return [classOf(adapter), ...settingsOf(adapter, adapter.class)];
}

/** Which class was taken is a setting, too. */
function classOf(part: EffectiveEntry | EffectiveAdapter): EffectiveSetting {
  const origin: SettingOrigin = part.at ? located(part.at) : { kind: 'implicit' in part ? 'preset' : 'default' };
  return { module: part.class, path: part.path.replace(/\.config$/, '.class'), value: part.servedAs ?? part.class, secret: false, origin };
}

function settingsOf(section: EffectiveSection, module?: string): readonly EffectiveSetting[] {
  const found: EffectiveSetting[] = [];
  const visit = (value: unknown, place: string): void => {
    const below = Array.isArray(value) ? value.map((item, index) => [itemPath(place, index), item] as const)
      : typeof value === 'object' && value !== null ? Object.entries(value).map(([key, item]) => [keyPath(place, key), item] as const) : [];
    if (below.length === 0 && place !== '') {
      const origin = originOf(section.origins, place);
      found.push({ ...module !== undefined && { module }, path: fullPath(section.path, place), value: value as EffectiveSetting['value'], secret: value === REDACTED, origin });
    }
    for (const [at, item] of below) visit(item, at);
  };
  visit(withoutSecrets(section), '');
  return found;
}

/** Values inside a default have none of their own. */
function originOf(origins: EffectiveSection['origins'], place: string): SettingOrigin {
  const origin: Origin | undefined = origins[place];
  if (origin?.kind === 'file') return located(origin.at);
  if (origin?.kind !== 'env') return { kind: 'default' };
  const { variable, at, fromDefault } = origin;
  return { kind: 'environment', variable, ...at?.line !== undefined && { line: at.line }, ...fromDefault === true && { isDefault: true } };
}

function located({ file, line }: SourceLocation): SettingOrigin {
  const name = NO_FILE.exec(file)?.[1];
  const where = line === undefined ? {} : { line };
  if (name === undefined) return { kind: 'file', ...where };
  if (name.startsWith('--')) return { kind: 'flag', flag: name };
  return name.endsWith(' preset') ? { kind: 'preset', ...where } : { kind: 'command' };
}
