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

/** Settings of a proxy that has people sign in, e.g. by OpenID Connect. */
export interface ProxySettings {
  readonly secret: string;
  /** Names of the headers that say who it is, and what role they have. */
  readonly user_header: string;
  readonly role_header?: string;
  /** Of whom the header names no role. */
  readonly role: Role;
}

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** Whether a role includes what another one may do. */
export function includes(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}
