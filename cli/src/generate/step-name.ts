import { treadleError } from '@treadle/api';
import { isSearched } from '@treadle/worker/discover';

/** Languages that Steps are written in. */
export type StepLanguage = 'ts' | 'js' | 'py';

/** How a new Step is called and where it goes. */
export interface StepName {
  /** `CreateTicket`. */
  readonly name: string;
  /** `create-ticket`: for paths, topics and groups. */
  readonly slug: string;
  /** Relative to the application's root, e.g. `steps/create-ticket.step.ts`. */
  readonly file: string;
}

/**
 * Reads `CreateTicket`, `create-ticket` or `tickets/create-ticket`.
 * @throws {USAGE} when it is no name, or names a folder in which no Steps are looked for
 */
export function stepName(text: string, language: StepLanguage): StepName {
  const segments = text.split('/');
  const last = segments.pop() ?? '';
  const words = last.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[\s_-]+/).filter((word) => word !== '');
  const fit = /^[A-Za-z][A-Za-z0-9 _-]*$/.test(last) && segments.every((segment) => /^[A-Za-z0-9][\w-]*$/.test(segment));
  if (!fit || text.length > 100) {
    const hint = 'use letters, digits and "-", beginning with a letter, e.g. "create-ticket" or "tickets/create-ticket"';
    throw treadleError('USAGE', { message: `${JSON.stringify(text)} cannot be the name of a Step`, hint });
  }
  const passedOver = segments.find((segment) => !isSearched(segment));
  if (passedOver !== undefined) {
    throw treadleError('USAGE', { message: `steps/${text} would never be loaded: what lies in folders called "${passedOver}" is passed over`, hint: 'choose another folder' });
  }
  const lower = words.map((word) => word.toLowerCase());
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const base = language === 'py' ? `${lower.join('_')}_step.py` : `${lower.join('-')}.step.${language}`;
  return { name, slug: lower.join('-'), file: ['steps', ...segments, base].join('/') };
}
