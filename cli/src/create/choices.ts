import { treadleError } from '@treadle/api';

/** Something that `create` lets one choose. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  /** False: part of the product, not of this version. */
  readonly available: boolean;
}

export const LANGUAGES: readonly Choice[] = [
  { id: 'ts', label: 'TypeScript', available: true },
  { id: 'js', label: 'JavaScript', available: false },
  { id: 'py', label: 'Python', available: false },
];

export const TEMPLATES: readonly Choice[] = [
  { id: 'basic', label: 'basic: three Steps over HTTP', available: true },
  { id: 'api', label: 'api: a REST API', available: false },
  { id: 'full-stack', label: 'full-stack: API, background work and a page', available: false },
];

/**
 * Refuses what this version does not have yet.
 * @throws {USAGE} naming what it has
 */
export function requireAvailable(what: string, id: string, choices: readonly Choice[]): void {
  const choice = choices.find((candidate) => candidate.id === id);
  if (choice?.available) return;
  const available = choices.filter((candidate) => candidate.available).map((candidate) => candidate.id).join(', ');
  throw treadleError('USAGE', { message: `${what} "${id}" is not in this version`, hint: `available: ${available}` });
}
