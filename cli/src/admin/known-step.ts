import { treadleError } from '@treadle/api';
import { nearest } from '@treadle/config';
import type { AdminClient } from './admin-client.js';

interface StepsOverview {
  readonly items: readonly { readonly config: { readonly name: string }; readonly role?: string }[];
}

/** For a Step of which nothing was found. @throws {NOT_FOUND} when the engine has no such Step, with the name that was probably meant, else the hint */
export async function requireKnownStep(client: AdminClient, step: string, hint = '"treadle steps" lists the Steps'): Promise<void> {
  const { items } = await client.get<StepsOverview>(['steps']);
  const names = items.filter(({ role = 'step' }) => role === 'step').map(({ config }) => config.name);
  if (names.includes(step)) return;
  const meant = nearest(step, names);
  throw treadleError('NOT_FOUND', {
    message: `the engine has no Step "${step}"`, hint: meant === undefined ? hint : `did you mean "${meant}"?`,
  });
}
