import type { Role } from '../contract/index.js';

/** Who has sent a request that was let in. */
export interface Caller {
  /** Of the token; `local` for the engine's own, `anybody` where none is asked for. */
  readonly name: string;
  readonly role: Role;
  /** False: sees no payloads, whatever the role. Absent: those that the role does. */
  readonly payloads?: false;
}

/** A token of the configuration. */
export interface NamedToken {
  readonly name: string;
  readonly role: Role;
  readonly token: string;
  /** Whether its holders see payloads. */
  readonly payloads: boolean;
}

/** Settings of a proxy that has people sign in, e.g. by OpenID Connect. */
export interface ProxySettings {
  readonly secret: string;
  /** Names of the headers that say who it is, and what role they have. */
  readonly user_header: string;
  readonly role_header?: string;
  /** Of whom the header names no role. */
  readonly role: Role;
  /** Name of the header that says whether they see payloads: `true` or `false`. */
  readonly payloads_header?: string;
  /** Of whom the header says nothing. */
  readonly payloads: boolean;
}

/** Somebody who sees payloads, or none. */
export function callerOf(name: string, role: Role, payloads: boolean): Caller {
  return { name, role, ...!payloads && { payloads: false } };
}

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** Whether a role includes what another one may do. */
export function includes(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}
