import type { Role } from '../contract/index.js';

/** Who has sent a request that was let in. */
export interface Caller {
  /** Of the token; `local` for the engine's own, `anybody` where none is asked for. */
  readonly name: string;
  readonly role: Role;
}

/** A token of the configuration. */
export interface NamedToken {
  readonly name: string;
  readonly role: Role;
  readonly token: string;
}

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** Whether a role includes what another one may do. */
export function includes(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}
